import { normalized } from "../../../db/lib/text";

/** Letters and digits alone, in lower case and without marks, so that spellings of the same word are one. */
export const plain = (text: string) =>
  normalized(text, "NFKD")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");

/** `never`: these people never agreed to get emails. */
export type StatedStatus = "active" | "unsubscribed" | "unconfirmed" | "never";

/**
 * What other systems call each status, in the languages of the product. A word that is not listed makes no one active.
 */
const statuses: Record<StatedStatus, string> = {
  active: `active subscribed subscriber enabled confirmed regular premium paid free gifted gift comp complimentary
    trialed churning optedin aktiv angemeldet abonniert bestätigt eingetragen actif abonné abonnée inscrit inscrite
    confirmé confirmée activo activa suscrito suscrita confirmado confirmada ativo ativa inscrito inscrita subscrito
    assinante actief ingeschreven aangemeld geabonneerd bevestigd attivo attiva iscritto iscritta confermato confermata`,
  unsubscribed: `unsubscribed unsubscribe unsubscribes unsubscriber unsubscribers notsubscribed disabled deactivated
    blocklisted blacklisted blocked banned bounced bounce bounces hardbounce hardbounced softbounced cleaned complained
    complaint complaints spam spammy spamreport junk undeliverable unreachable invalid removed suppressed inactive
    archived deleted cancelled canceled optedout optout donotemail
    abgemeldet abbestellt ausgetragen inaktiv gesperrt gelöscht blockiert deaktiviert unzustellbar gekündigt widerrufen
    beschwerde ungültig zurückgewiesen
    désabonné désabonnée désinscrit désinscrite inactif bloqué bloquée supprimé supprimée rejeté rejetée plainte
    invalide annulé annulée résilié résiliée rebond
    desuscrito desuscrita desinscrito desinscrita dadodebaja dadadebaja debaja baja cancelado cancelada inactivo
    inactiva bloqueado bloqueada eliminado eliminada rebotado rebotada rechazado rechazada queja inválido inválida
    descadastrado descadastrada dessubscrito inativo inativa removido removida excluído excluída rejeitado rejeitada
    devolvido devolvida reclamação
    uitgeschreven afgemeld inactief geblokkeerd verwijderd opgezegd gebounced geweigerd ongeldig klacht
    disiscritto disiscritta cancellato cancellata annullato annullata disattivato disattivata bloccato bloccata
    inattivo inattiva rimosso rimossa eliminato eliminata rimbalzato rimbalzata respinto respinta reclamo`,
  unconfirmed: `unconfirmed unverified unactivated notconfirmed pending validating invited
    unbestätigt nichtbestätigt ausstehend nonconfirmé nonconfirmée enattente
    noconfirmado noconfirmada sinconfirmar pendiente nãoconfirmado pendente onbevestigd nietbevestigd inafwachting
    nonconfermato nonconfermata inattesa`,
  never: "nonsubscribed neversubscribed transactional",
};

/** Yes and no. In a column whose name says nothing, they may be about anything. */
const answers: Record<"active" | "unsubscribed", string> = {
  active: "yes y true t 1 ja wahr oui vrai si sí verdadero sim verdadeiro waar",
  unsubscribed: "no n false f 0 nein falsch non faux falso não nee onwaar",
};

const wordsOf = (all: Partial<Record<StatedStatus, string>>) =>
  new Map(
    Object.entries(all).flatMap(([status, words]) =>
      words.split(/\s+/).map((word) => [plain(word), status as StatedStatus] as const),
    ),
  );
const byWord = wordsOf(statuses);
const byAnswer = wordsOf(answers);
const longest = 50; // characters

/** The word that a cell holds, for the functions below; "" if it is a longer text. */
export const wordOf = (text: string) => (text.length > longest ? "" : plain(text));

/** Returns the status that a word means; undefined if it is unknown. */
export const statedBy = (word: string): StatedStatus | undefined => byWord.get(word) ?? byAnswer.get(word);

/** Whether a text means yes or no; undefined if it means neither. */
export function answerIn(text: string): boolean | undefined {
  const status = byAnswer.get(wordOf(text));
  return status && status === "active";
}

/** Words that are also about other things than a subscription, such as an order. */
const generic = new Set(
  "pending validating invited transactional ausstehend enattente pendiente pendente inafwachting inattesa".split(" "),
);

/** Whether a word, in whatever column, says that someone is not subscribed. */
export const isExclusion = (word: string): boolean =>
  !generic.has(word) && !["active", undefined].includes(byWord.get(word));

const notLeft = ["", "null", "nil", "none", "never", "undefined", "na", "00000000", "00000000000000"];

/** Whether a column about leaving says that the person left: a date, "yes", or anything except "no" or nothing. */
export function hasLeft(text: string): boolean {
  const word = plain(text.slice(0, longest));
  return !notLeft.includes(word) && byAnswer.get(word) !== "unsubscribed";
}
