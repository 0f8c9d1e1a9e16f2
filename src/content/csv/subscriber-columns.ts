import { csvColumn } from "../../fields/field";
import { ManagedSubscriberFields } from "../../fields/subscriber";
import { isExclusion, plain, type Status, statusOf, wordOf } from "./status-words";

const { shape } = ManagedSubscriberFields;
/** The columns that are stored as they are. */
export const storedFields = ManagedSubscriberFields.keyof().options;
type StoredField = (typeof storedFields)[number];
const parts = ["first", "last"] as const;
const fields = [
  ...storedFields.flatMap((field) => (field === "name" ? [field, ...parts] : field)),
  "status",
  "left",
  "mark",
  "joined",
  "tags",
] as const;
/**
 * The field that a column of an import holds; "" is ignored. `left`: when or whether someone unsubscribed. `mark`:
 * texts of all kinds, of which only words such as "unsubscribed" count.
 */
export type ImportField = (typeof fields)[number] | "";

/** Fields that several columns may hold: one that says no is enough. */
const severalFields: ImportField[] = ["", "status", "left", "mark"];

/** What is known of a column from its name and all of its rows. */
export type ColumnFacts = {
  /** As `plain` writes it. */
  name: string;
  /** The number of cells that are not empty, and of those that hold an address, a date, or a word for a status. */
  filled: number;
  addresses: number;
  dates: number;
  statuses: number;
  /** The number of cells with a word for a status other than subscribed. */
  exclusions: number;
  /** How often each word occurs, as it is first written. Undefined if there are too many different ones. */
  words: Map<string, { text: string; count: number }> | undefined;
};

const maxWords = 50; // different ones; a column with more of them is text, or every other word would refuse its row

export const columnFacts = (name: string): ColumnFacts => ({
  name: plain(name.slice(0, 100)),
  filled: 0,
  addresses: 0,
  dates: 0,
  statuses: 0,
  exclusions: 0,
  words: new Map(),
});

/** Adds a cell to the facts of its column. */
export function observe(facts: ColumnFacts, cell: string, isDate: (text: string) => boolean): void {
  const text = cell.trim();
  if (!text) return;
  facts.filled++;
  if (text.length <= 200 && /^\S+@\S+$/.test(text)) facts.addresses++;
  if (/\d/.test(text) && isDate(text)) facts.dates++;
  if (!facts.words && text.length > maxWords) return;
  const word = wordOf(text);
  if (isExclusion(word)) facts.exclusions++;
  if (statusOf(word)) facts.statuses++;
  const entry = facts.words?.get(word);
  if (entry) entry.count++;
  else if (facts.words && facts.words.size < maxWords)
    facts.words.set(word, { text: text.slice(0, maxWords), count: 1 });
  else facts.words = undefined;
}

const words = (text: string) => text.split(/\s+/);

/**
 * Names of the columns that only files have, as those in `ManagedSubscriberFields`: without spaces, punctuation and marks, in
 * order of preference. Not Substack's `active_subscription`, which is false for readers who do not pay.
 */
const otherNames: Record<Exclude<(typeof fields)[number], StoredField | "mark">, string[]> = {
  first: words("firstname fname givenname forename vorname prenom nombre primeironome voornaam"),
  last: words("lastname lname surname familyname nachname familienname nom apellido apellidos sobrenome achternaam"),
  status: words(`state status subscriberstatus subscriptionstatus memberstatus emailstatus subscribertype
    emailmarketingstatus subscribed issubscribed subscribedtoemails optedin optin confirmed newsletter
    acceptsmarketing acceptsemailmarketing emailconsent marketingconsent
    abonniert angemeldet statut abonne inscrit estado suscrito situacao inscrito ingeschreven aangemeld`),
  left: words(`unsubscribed isunsubscribed unsubscribedat unsubscribedon unsubscribedate unsubscriptiondate unsubtime
    unsubscribetime optedout optout optoutdate cleantime emaildisabled disabled bounced bouncedat bouncedate
    undeliverabilitydate complained complainedat blocked blocklisted blacklisted suppressed suppressedat deletedat
    cancelledat canceledat
    abgemeldet abgemeldetam abmeldedatum desabonne desabonnele datededesabonnement desinscrit baja fechadebaja
    descadastrado datadedescadastro uitgeschreven uitgeschrevenop afgemeld afgemeldop`),
  joined: words(`joined joinedat joindate datejoined subscribedat subscribedon subscribedate subscribeddate
    subscriptiondate datesubscribed optintime optindate signupdate signedupat confirmtime confirmedat dateadded
    addedat addedon createdat creationdate datecreated createdon created startdate
    anmeldedatum angemeldetam beigetreten beigetretenam erstelltam datedinscription dateinscription inscritle
    fechadealta fechadesuscripcion fechaderegistro datadeinscricao datadecadastro aanmelddatum aangemeldop
    ingeschrevenop`),
  tags: words("tags tag labels label etiketten schlagworter etiquettes etiquetas"),
};

const isStored = (field: ImportField): field is StoredField => storedFields.some((one) => one === field);

function namesOf(field: (typeof fields)[number]): readonly string[] {
  if (field === "mark") return [];
  return isStored(field) ? csvColumn(shape[field]).names : otherNames[field];
}

/** Columns of free text: a status word in them is about one person, and says nothing about the other rows. */
const freeTexts = new Set(
  words("note notes tag tags label labels list lists group groups segment segments comment comments metadata reason"),
);

/** Names of statuses that are also those of other things: they count if any word is a status. */
const vague = new Set(words("newsletter estado situacao confirmed optin consent"));

/** Guesses the fields of the columns from their names and contents. */
export function guessColumns(columns: ColumnFacts[]): ImportField[] {
  const guessed = columns.map((): ImportField => "");
  for (const field of fields)
    for (const name of namesOf(field))
      for (const [at, facts] of columns.entries())
        if (facts.name === name && !isTaken(guessed, field, at) && fits(facts, field)) guessed[at] = field;
  if (!guessed.includes("email")) assign(guessed, "email", columns.findIndex(isFree(guessed, mostlyAddresses)));
  if (!guessed.includes("joined")) assign(guessed, "joined", columns.findIndex(isFree(guessed, isDatedStatus)));
  for (const [at, facts] of columns.entries()) if (!guessed[at]) guessed[at] = byContents(facts);
  const hasStatus = columns.some(({ statuses }, at) => guessed[at] === "status" && statuses > 0);
  const place = columns.findIndex(({ name, statuses }) => name === "state" && statuses === 0); // such as California
  if (hasStatus && place >= 0) guessed[place] = "";
  return guessed;
}

const isTaken = (guessed: ImportField[], field: ImportField, at: number) =>
  Boolean(guessed[at]) || (!severalFields.includes(field) && guessed.includes(field));

const isFree = (guessed: ImportField[], test: (facts: ColumnFacts) => boolean) => (facts: ColumnFacts, at: number) =>
  !guessed[at] && test(facts);

const assign = (guessed: ImportField[], field: ImportField, at: number) => {
  if (at >= 0) guessed[at] = field;
};

const mostlyAddresses = ({ addresses, filled }: ColumnFacts) => filled > 0 && addresses >= filled / 2;
const mostlyDates = ({ dates, filled }: ColumnFacts) => filled > 0 && dates >= filled / 2;
/** MailerLite's column "Subscribed" is a date, for instance. */
const isDatedStatus = (facts: ColumnFacts) => otherNames.status.includes(facts.name) && mostlyDates(facts);

function fits(facts: ColumnFacts, field: ImportField): boolean {
  if (field === "status") return !mostlyDates(facts) && (facts.statuses > 0 || !vague.has(facts.name));
  return (field !== "joined" && field !== "tags") || facts.filled > 0;
}

/**
 * Any word that says that someone is not subscribed makes the column one of statuses; of a text, such as notes, only
 * such words count.
 */
function byContents({ name, filled, statuses, exclusions, words: different }: ColumnFacts): ImportField {
  if (name === "type" && filled > 0 && statuses >= filled / 2) return "status"; // Buttondown's, Substack's
  if (exclusions === 0) return "";
  return different && !freeTexts.has(name) ? "status" : "mark";
}

/** The words of the columns of statuses, most frequent first, with what they mean. */
export function statusWords(columns: ColumnFacts[], matched: ImportField[]) {
  const all = new Map<string, { text: string; count: number }>();
  for (const [at, { words: different }] of columns.entries())
    for (const [word, { text, count }] of (matched[at] === "status" && different) || [])
      all.set(word, { text, count: count + (all.get(word)?.count ?? 0) });
  return [...all]
    .map(([word, { text, count }]) => ({ word, text, count, status: statusOf(word) }))
    .sort((a, b) => b.count - a.count)
    .slice(0, maxWords);
}

export type StatusWord = { word: string; text: string; count: number; status: Status | undefined };

/** Returns what is wrong with a choice of columns, as a sentence. */
export function problemOfColumns(columns: ImportField[]): string | undefined {
  if (!columns.includes("email")) return "Choose the column that has the email addresses.";
  const isTwice = columns.some((field, at) => !severalFields.includes(field) && columns.indexOf(field) !== at);
  return isTwice ? "Only Status and Unsubscribed can be chosen for several columns." : undefined;
}

const otherLabels = {
  first: "First name",
  last: "Last name",
  status: "Status",
  left: "Unsubscribed",
  mark: "Unsubscribed (text)",
  joined: "Joined",
  tags: "Tags",
};

/** What a column can be matched with, and what people read. */
export const importFields: readonly (readonly [field: ImportField, label: string])[] = [
  ["", "Ignore"],
  ...fields.map((field) => [field, isStored(field) ? csvColumn(shape[field]).label : otherLabels[field]] as const),
];

export const isImportField = (text: string): text is ImportField =>
  text === "" || fields.some((field) => field === text);
