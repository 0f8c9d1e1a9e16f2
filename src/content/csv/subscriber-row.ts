import { isTimeZone } from "../../../db/lib/time";
import type { z } from "zod";
import { emailKey } from "../../../db/lib/email-key";
import { fold } from "../../../db/lib/fold";
import { splitNames } from "../../../db/lib/text";
import type { ImportedSubscriber } from "../../../db/newsletter/import";
import { maxTagsOfPerson } from "../../../db/newsletter/tags";
import { languageIn, ManagedSubscriberFields, tagName } from "../../fields/subscriber";
import { emailAddress } from "../../platform/text/email-address";
import { type DateFormat, readDate } from "./dates";
import { type Encoding, unreadable } from "./encoding";
import type { JsonValue } from "./json-columns";
import { hasLeft, isExclusion, type StatedStatus, statedBy, wordOf } from "./status-words";
import { type ImportField, isOwnField, type OwnField, storedFields } from "./subscriber-columns";
import type { Listed } from "./survey";

/** How a file is read: what a survey found out, and what people chose instead. */
export type ImportPlan = {
  encoding: Encoding;
  /** The names of the columns, after which new fields are called. */
  header: string[];
  /** The values in columns of JSON, which are columns after those of the file. */
  json: JsonValue[];
  columns: ImportField[];
  dates: DateFormat;
  /** The chosen meanings of words, by `wordOf`. */
  words: ReadonlyMap<string, ChosenStatus>;
  listed: Listed;
};
/** The choices of a manager. Absent ones are found out from the file. */
export type ChosenPlan = { [Part in Exclude<keyof ImportPlan, "header" | "json">]?: ImportPlan[Part] | undefined };
export type ChosenStatus = "active" | "unsubscribed" | "refused";

/** The topics that a row names, and the cells of the columns that are fields. */
export type RowLabels = {
  topics: string[];
  topicsLeft: string[];
  cells: { column: number; field: OwnField; text: string }[];
};
export type PersonRow = {
  person: ImportedSubscriber;
  key: string;
  labels: RowLabels;
  isUndated: boolean;
  hasOtherLanguage: boolean;
  hasUnknownZone: boolean;
  leftOutTags: number;
  leftOutTopics: number;
};
/** What a row says. A problem names the field, but never repeats its contents. */
export type ReadRow = PersonRow | { problem: string; neverAgreed?: boolean; email?: string | undefined };

const damaged = `has a character that cannot be read (${unreadable})`;

const cellsOf = (plan: ImportPlan, cells: string[]) => (field: ImportField) =>
  cells.filter((text, at) => plan.columns[at] === field && text.trim());

/** Whether a row says that someone left, or leaves it open; with the address. Undefined if it says neither. */
export function doubtIn(plan: ImportPlan, cells: string[]): { key: string; hasLeft: boolean } | undefined {
  const all = cellsOf(plan, cells);
  const { state } = stateOf(plan, all);
  const email = state === "active" ? undefined : emailAddress.safeParse(all("email")[0]?.trim()).data;
  return email === undefined ? undefined : { key: emailKey(email), hasLeft: state === "unsubscribed" };
}

/** Reads a row of an import. Who left is imported even if the rest of the row is not valid. */
export function readSubscriber(plan: ImportPlan, cells: string[], now: Date): ReadRow {
  const all = cellsOf(plan, cells);
  const one = (field: ImportField) => all(field)[0]?.trim();
  const { state, ...doubt } = stateOf(plan, all);
  const stated: Stated = Object.fromEntries(storedFields.map((field) => [field, one(field)]));
  stated.name ??= [one("first"), one("last")].filter(Boolean).join(" ");
  const hasOtherLanguage = stated.language !== undefined && !languageIn(stated.language);
  if (hasOtherLanguage) stated.language = undefined; // of any length: it refuses no one
  const hasUnknownZone = stated.timeZone !== undefined && !isTimeZone(stated.timeZone);
  if (hasUnknownZone) stated.timeZone = undefined;
  const full = checked(stated);
  const { data, problems } = state === "unsubscribed" && !full.data ? checked({ email: stated.email }) : full;
  const email = data?.email;
  if (!state) return { ...doubt, email, problem: [...problems, doubt.problem].filter(Boolean).join("; ") };
  if (!data) return { problem: problems.join("; ") };
  const joined = one("joined");
  const date = joined === undefined ? now : readDate(joined, plan.dates);
  const createdAt = !date || date > now ? now : date; // a time in the future is an error in the file
  const [tags, topics, topicsLeft] = [tagsIn(all("tags")), tagsIn(all("topics")), tagsIn(all("topicsLeft"))];
  const person = { ...data, state, createdAt, tags: tags.tags, pausedUntil: pauseIn(all) };
  return {
    person,
    key: emailKey(data.email),
    labels: { topics: topics.tags, topicsLeft: topicsLeft.tags, cells: fieldCells(plan, cells) },
    isUndated: !date,
    hasOtherLanguage,
    hasUnknownZone,
    leftOutTags: tags.leftOut,
    leftOutTopics: topics.leftOut + topicsLeft.leftOut,
  };
}

const fieldCells = ({ columns }: ImportPlan, cells: string[]) =>
  columns.flatMap((field, column) => {
    const text = cells[column]?.trim() ?? "";
    return text && isOwnField(field) ? [{ column, field, text }] : [];
  });

/** Until when a person has paused, as our own exports write it. */
function pauseIn(all: (field: ImportField) => string[]): Date | undefined {
  const text = all("pausedUntil")[0]?.trim();
  return text === undefined ? undefined : readDate(text, "year-first");
}

type Stated = { [Field in keyof z.output<typeof ManagedSubscriberFields>]?: string | undefined };

function checked(stated: Stated) {
  const { data, error } = ManagedSubscriberFields.safeParse(stated);
  const problems = (error?.issues ?? []).map(({ path, message }) => `${path.join(".")} ${message}`);
  for (const [field, text] of Object.entries({ ...stated, ...data }))
    if (text?.includes(unreadable)) problems.push(`${field} ${damaged}`);
  return { data: problems.length ? undefined : data, problems };
}

type State = { state?: ImportedSubscriber["state"]; problem?: string; neverAgreed?: boolean };

/** The status that all columns agree on: one that says no is enough, and an unknown word makes no one active. */
function stateOf({ listed, words }: ImportPlan, all: (field: ImportField) => string[]): State {
  const meaningOf = (word: string) => words.get(word) ?? statedBy(word);
  const meanings = all("status")
    .map(wordOf)
    .map(
      (word): StatedStatus | "refused" => meaningOf(word) ?? (word === "paused" && pauseIn(all) ? "active" : "refused"),
    );
  const marks = [...all("mark"), ...all("tags")].map(wordOf).filter(isExclusion).map(statedBy);
  const says = (status: StatedStatus | "refused") => [...meanings, ...marks].some((stated) => stated === status);
  if (listed === "left" || all("left").some(hasLeft) || says("unsubscribed")) return { state: "unsubscribed" };
  if (listed === "never") return { problem: "the file lists people who never agreed to get emails", neverAgreed: true };
  if (says("never")) return { problem: "status says that the person never agreed to get emails", neverAgreed: true };
  if (says("refused")) return { problem: "status is not known as subscribed or unsubscribed" };
  if (says("unconfirmed")) return { problem: "status says that the subscription was never confirmed" };
  return { state: "active" };
}

const maxCell = 10_000; // characters: the longest tags of one person, and quotes

/**
 * Reads the tags or topics of a person as programs write them, in one or several columns: `"Editors","VIP"` (Mailchimp), `Editors, VIP` (Ghost, Kit),
 * `["Editors", "VIP"]`, or with semicolons. Those that are too long, too many or damaged are left out, and counted.
 */
function tagsIn(cells: string[]): { tags: string[]; leftOut: number } {
  const names = cells.flatMap((cell) => namesIn(cell.slice(0, maxCell)));
  const tags = new Map<string, string>();
  let leftOut = cells.filter((cell) => cell.length > maxCell).length;
  for (const name of names) {
    const { data } = tagName.safeParse(name);
    const key = fold(data ?? "");
    if (tags.has(key)) continue;
    if (!data || data.includes(unreadable) || tags.size >= maxTagsOfPerson) leftOut++;
    else tags.set(key, data);
  }
  return { tags: [...tags.values()], leftOut };
}

function namesIn(cell: string): string[] {
  const text = cell.trim();
  const list = text.startsWith("[") ? jsonIn(text) : undefined;
  if (Array.isArray(list)) return list.map(String).filter((name) => name.trim());
  return text.includes(",") || text.startsWith('"')
    ? splitNames(text)
    : text
        .split(";")
        .map((name) => name.trim())
        .filter(Boolean);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
