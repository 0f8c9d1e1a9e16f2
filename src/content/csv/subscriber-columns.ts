import { maxFields } from "../../../db/newsletter/fields";
import type { Field } from "../../../db/newsletter/field-values";
import type { Topic } from "../../../db/newsletter/topics";
import { fold } from "../../../db/lib/fold";
import { splitNames } from "../../../db/lib/text";
import { fieldTypeLabel } from "../../fields/audience";
import { csvColumn } from "../../fields/field";
import { ManagedSubscriberFields } from "../../fields/subscriber";
import { answerIn, isExclusion, plain, type StatedStatus, statedBy, wordOf } from "./status-words";

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
  "topics",
  "topicsLeft",
  "pausedUntil",
] as const;
/** The types that a column can give a field that the site does not have yet. */
const newTypes = ["text", "number", "date", "boolean"] as const;
/** A field of the site by its key, or a new one. */
export type OwnField = `field:${string}` | `new:${(typeof newTypes)[number]}`;
/**
 * The field that a column of an import holds; "" is ignored. `left`: when or whether someone unsubscribed. `mark`:
 * texts of all kinds, of which only words such as "unsubscribed" count. `topicsLeft`: topics that someone left.
 */
export type ImportField = (typeof fields)[number] | OwnField | "";

export const isOwnField = (field: ImportField): field is OwnField => isNewField(field) || field.startsWith("field:");
export const isNewField = (field: ImportField) => newTypes.some((type) => field === `new:${type}`);

/** The topics and fields that a site has. */
export type SiteLabels = { fields: Field[]; topics: Topic[] };
export const noLabels: SiteLabels = { fields: [], topics: [] };

/** Fields that several columns may hold: one that says no is enough. */
const severalFields: ImportField[] = ["", "status", "left", "mark", "tags", "topics", "topicsLeft"];
const mayRepeat = (field: ImportField) => severalFields.includes(field) || isNewField(field);

/** What is known of a column from its name and all of its rows. */
export type ColumnFacts = {
  /** As `plain` writes it. */
  name: string;
  /** As it is written in the file, shortened. */
  header: string;
  /** Whether it is no column but a value in one of JSON. */
  isInJson: boolean;
  /** Whether values in it are columns of their own. */
  hasValues: boolean;
  /** The number of cells with a number, `true` or `false`, and a day, all as Postroom writes them. */
  numbers: number;
  booleans: number;
  days: number;
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

export const columnFacts = (name: string, isInJson = false): ColumnFacts => ({
  name: plain(name.slice(0, 100)),
  header: name.trim().slice(0, 100),
  isInJson,
  hasValues: false,
  numbers: 0,
  booleans: 0,
  days: 0,
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
  if (text.length <= 24 && /\d/.test(text) && String(Number(text)) === text) facts.numbers++;
  if (text === "true" || text === "false") facts.booleans++;
  if (/^\d{4}-\d\d-\d\d$/.test(text)) facts.days++;
  if (/\d/.test(text) && isDate(text)) facts.dates++;
  if (!facts.words && text.length > maxWords) return;
  const word = wordOf(text);
  if (isExclusion(word)) facts.exclusions++;
  if (statedBy(word)) facts.statuses++;
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
  first: words("firstname fname givenname forename vorname prenom nombre primeironome nome voornaam"),
  last: words(
    "lastname lname surname familyname nachname familienname nom apellido apellidos sobrenome cognome achternaam",
  ),
  status: words(`state status subscriberstatus subscriptionstatus memberstatus emailstatus subscribertype
    emailmarketingstatus subscribed issubscribed subscribedtoemails optedin optin confirmed newsletter
    acceptsmarketing acceptsemailmarketing emailconsent marketingconsent
    abonniert angemeldet statut abonne inscrit estado suscrito situacao inscrito ingeschreven aangemeld stato iscritto
    ${plain("статус")} ${plain("ステータス")} ${plain("状态")} ${plain("상태")}`),
  left: words(`unsubscribed isunsubscribed unsubscribedat unsubscribedon unsubscribedate unsubscriptiondate unsubtime
    unsubscribetime optedout optout optoutdate cleantime emaildisabled disabled bounced bouncedat bouncedate
    undeliverabilitydate complained complainedat blocked blocklisted blacklisted suppressed suppressedat deletedat
    cancelledat canceledat
    abgemeldet abgemeldetam abmeldedatum desabonne desabonnele datededesabonnement desinscrit baja fechadebaja
    descadastrado datadedescadastro uitgeschreven uitgeschrevenop afgemeld afgemeldop disiscritto disiscrittoil`),
  joined: words(`joined joinedat joindate datejoined subscribedat subscribedon subscribedate subscribeddate
    subscriptiondate datesubscribed optintime optindate signupdate signedup signedupat signedupon confirmtime confirmedat dateadded
    addedat addedon addedtime createdat creationdate createdate datecreated createdon created startdate
    registered registeredat registeredon registrationdate userregistered
    anmeldedatum angemeldetam beigetreten beigetretenam erstelltam datedinscription dateinscription inscritle
    fechadealta fechadesuscripcion fechaderegistro datadeinscricao datadecadastro aanmelddatum aangemeldop
    ingeschrevenop`),
  tags: words("tags tag labels label etiketten schlagworter etiquettes etiquetas"),
  topics: words(
    "topics topic interests interest themen interessen sujets interets temas intereses interesses onderwerpen",
  ),
  topicsLeft: ["topicsleft"],
  pausedUntil: ["pauseduntil"],
};

const isStored = (field: string): field is StoredField => storedFields.some((one) => one === field);

function namesOf(field: (typeof fields)[number]): readonly string[] {
  if (field === "mark") return [];
  return isStored(field) ? csvColumn(shape[field]).names : otherNames[field];
}

/** Names of which all cells have to be yes or no, such as HubSpot's “Unsubscribed from all email” and “Opted out of email”. */
const saysLeft = /unsubscribed|opt(ed)?out|donotemail|bounced|blocklisted|blacklisted|suppressed/;
const saysAgreed = /optedin|optin|subscribed|accepts|emailconsent|marketingconsent|newsletterconsent/;
/** What such a column may be about instead of emails, or of all emails. */
const isOther = /sms|phone|whatsapp|push|post|mail(ing)?address|paid|premium|double|soft/;

/** Columns of free text: a status word in them is about one person, and says nothing about the other rows. */
const freeTexts = new Set(
  words("note notes tag tags label labels list lists group groups segment segments comment comments metadata reason"),
);

/** Names of statuses that are also those of other things: they count if any word is a status. */
const vague = new Set(words("newsletter estado situacao stato confirmed optin consent"));

/** Guesses the fields of the columns from their names and contents. */
export function guessColumns(columns: ColumnFacts[], site: SiteLabels): ImportField[] {
  const guessed: ImportField[] = columns.map((facts) => ownField(facts, site) ?? "");
  const hasGuessedZones = columns.some(({ name }) => name === "gmtoff"); // Mailchimp's, from IP addresses: nobody gave them
  const inOrder = [...columns.entries()].sort(([, a], [, b]) => Number(a.isInJson) - Number(b.isInJson));
  for (const field of fields.filter((field) => field !== "timeZone" || !hasGuessedZones))
    for (const name of namesOf(field))
      for (const [at, facts] of inOrder)
        if (facts.name === name && !isTaken(guessed, field, at) && fits(facts, field)) guessed[at] = field;
  if (!guessed.includes("email")) assign(guessed, "email", columns.findIndex(isFree(guessed, mostlyAddresses)));
  if (!guessed.includes("joined")) assign(guessed, "joined", columns.findIndex(isFree(guessed, isDatedStatus)));
  for (const [at, facts] of columns.entries()) if (!guessed[at]) guessed[at] = byContents(facts, site);
  const hasStatus = columns.some(({ statuses }, at) => guessed[at] === "status" && statuses > 0);
  const place = columns.findIndex(({ name, statuses }) => name === "state" && statuses === 0); // such as California
  if (hasStatus && place >= 0) guessed[place] = "";
  return withNewFields(columns, guessed, site);
}

const ownPrefix = /^(?:fields?|custom_fields)\./i; // our own exports, and Ghost's

/** The field of the site that a column is called after. `field.city` is one even if the site does not have it yet. */
function ownField(facts: ColumnFacts, { fields: own }: SiteLabels): OwnField | undefined {
  const called = fieldName(facts.header).toLowerCase();
  const key = own.find((one) => one.key === called) ?? own.find((one) => plain(one.name) === plain(called));
  if (key && (ownPrefix.test(facts.header) || !isReserved(facts.name))) return `field:${key.key}`;
  return ownPrefix.test(facts.header) && facts.filled > 0 ? `new:${typeOf(facts)}` : undefined;
}

/** Whether a column of this name is about the person or the subscription, whatever the site's fields are called. */
const isReserved = (name: string) => fields.some((field) => namesOf(field).includes(name));

/** What a column that becomes a field is called: without the prefix that some exports have. */
export const fieldName = (header: string): string => header.trim().replace(ownPrefix, "");

/** The type of which every cell is, as it would be exported again; a text otherwise. */
function typeOf({ header, filled, numbers, booleans, days }: ColumnFacts): (typeof newTypes)[number] {
  const isCode = /zip|post|phone|mobile|tel|code|\bid\b/i.test(header); // digits that are no number
  if (numbers === filled && !isCode) return "number";
  if (booleans === filled) return "boolean";
  return days === filled ? "date" : "text";
}

/** Columns by which a program is recognised whose other columns are what it keeps of people. */
const signatures = [
  ["memberrating", "leid"],
  ["optintime", "leid"],
  ["tier", "freetier"],
  ["firstname", "emailaddress", "state", "tags"],
];
/** Those of them that are the program's own, or more than a newsletter needs to know: IP addresses, places, notes. */
const technical = new Set(
  words(`id uuid leid euid memberrating latitude longitude gmtoff dstoff timezone cc region lastchanged notes note
    tier freetier premiumtier stripecustomerid updatedat referrer referringsite country`),
);
const isTechnical = (name: string) => technical.has(name) || /^(utm|unsub|clean|optin|confirm|stripe|ip)/.test(name);

/** Suggests new fields for what a program keeps of people, as many as a site may have. */
function withNewFields(columns: ColumnFacts[], guessed: ImportField[], { fields: own }: SiteLabels): ImportField[] {
  const has = (name: string) => columns.some((facts) => facts.name === name && !facts.isInJson);
  const isProgram = signatures.some((names) => names.every(has));
  let free = maxFields - own.length - guessed.filter(isNewField).length;
  return guessed.map((field, at): ImportField => {
    const facts = columns[at];
    if (!facts || field || !facts.filled || facts.hasValues || isTechnical(facts.name)) return field;
    return (isProgram || facts.isInJson) && free-- > 0 ? `new:${typeOf(facts)}` : field;
  });
}

const isTaken = (guessed: ImportField[], field: ImportField, at: number) =>
  Boolean(guessed[at]) || (!mayRepeat(field) && guessed.includes(field));

const isFree = (guessed: ImportField[], test: (facts: ColumnFacts) => boolean) => (facts: ColumnFacts, at: number) =>
  !guessed[at] && test(facts);

const assign = (guessed: ImportField[], field: ImportField, at: number) => {
  if (at >= 0) guessed[at] = field;
};

const mostlyAddresses = ({ addresses, filled }: ColumnFacts) => filled > 0 && addresses >= filled / 2;
const mostlyDates = ({ dates, filled }: ColumnFacts) => filled > 0 && dates >= filled / 2;
/** MailerLite's column "Subscribed" is a date, for instance. */
const isDatedStatus = (facts: ColumnFacts) => otherNames.status.includes(facts.name) && mostlyDates(facts);

/** Of what is in JSON, only words that are the person's: what is there says nothing about the subscription. */
const inJson: ImportField[] = ["name", "first", "last", "language"];

function fits(facts: ColumnFacts, field: ImportField): boolean {
  if (facts.isInJson && !inJson.includes(field)) return false;
  if (field === "status") return !mostlyDates(facts) && (facts.statuses > 0 || !vague.has(facts.name));
  return !ifFilled.includes(field) || facts.filled > 0;
}

const ifFilled: ImportField[] = ["joined", "tags", "topics", "topicsLeft", "pausedUntil", "timeZone"];

/** Whether all cells that are not empty say yes or no. */
const areAnswers = ({ filled, words: different }: ColumnFacts) =>
  filled > 0 && [...(different?.keys() ?? [""])].every((word) => answerIn(word) !== undefined);

/** Whether all words are names of topics that the site has, as in a column of groups. */
const areTopics = ({ words: different }: ColumnFacts, { topics }: SiteLabels) => {
  const names = [...(different?.values() ?? [])].flatMap(({ text }) => splitNames(text));
  return names.length > 0 && names.every((name) => topics.some(({ folded }) => folded === fold(name)));
};

/**
 * Any word that says that someone is not subscribed makes the column one of statuses; of a text, such as notes, only
 * such words count.
 */
function byContents(facts: ColumnFacts, site: SiteLabels): ImportField {
  const { name, filled, statuses, exclusions, words: different } = facts;
  if (facts.isInJson) return "";
  if (areTopics(facts, site)) return "topics";
  if (name === "type" && filled > 0 && statuses >= filled / 2) return "status"; // Buttondown's, Substack's
  if (areAnswers(facts) && !isOther.test(name)) {
    if (saysLeft.test(name)) return "left";
    if (saysAgreed.test(name)) return "status";
  }
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
    .map(([word, { text, count }]) => ({ word, text, count, status: statedBy(word) }))
    .sort((a, b) => b.count - a.count)
    .slice(0, maxWords);
}

export type StatusWord = { word: string; text: string; count: number; status: StatedStatus | undefined };

/** Returns what is wrong with a choice of columns, as a sentence. */
export function problemOfColumns(columns: ImportField[]): string | undefined {
  if (!columns.includes("email")) return "Choose the column that has the email addresses.";
  const isTwice = columns.some((field, at) => !mayRepeat(field) && columns.indexOf(field) !== at);
  return isTwice
    ? "Only Status, Unsubscribed, Tags, Topics and new fields can be chosen for several columns."
    : undefined;
}

const otherLabels = {
  first: "First name",
  last: "Last name",
  status: "Status",
  left: "Unsubscribed",
  mark: "Unsubscribed (text)",
  joined: "Joined",
  tags: "Tags",
  topics: "Topics",
  topicsLeft: "Topics they left",
  pausedUntil: "Paused until",
};

/** What a column can be matched with, and what people read. */
export function importFields({ fields: own }: SiteLabels): (readonly [field: ImportField, label: string])[] {
  const ofPerson = fields.map(
    (field) => [field, isStored(field) ? csvColumn(shape[field]).label : otherLabels[field]] as const,
  );
  const ofSite = own.map(({ key, name }) => [`field:${key}` as const, `Field: ${name}`] as const);
  const added = newTypes.map((type) => [`new:${type}` as const, `New field: ${fieldTypeLabel(type)}`] as const);
  return [["", "Ignore"], ...ofPerson, ...ofSite, ...(own.length < maxFields ? added : [])];
}

export const isImportField = (text: string): text is ImportField =>
  text === "" ||
  fields.some((field) => field === text) ||
  newTypes.some((type) => text === `new:${type}`) ||
  /^field:[a-z][a-z0-9_]{0,29}$/.test(text);
