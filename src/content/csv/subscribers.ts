import type { Db } from "../../../db/engine/open";
import {
  importAll,
  type ImportedSubscriber,
  type Outcome,
  pages,
  type ImportOptions,
} from "../../../db/newsletter/import";
import { fold } from "../../../db/lib/fold";
import { joined } from "../../../db/lib/name-list";
import { statusOf } from "../../../db/newsletter/rules";
import type { Subscriber } from "../../../db/newsletter/subscribers";
import { listTags, maxTags, tagsOf } from "../../../db/newsletter/tags";
import { field } from "../../fields/field";
import { lines } from "../../platform/text/schemas";
import { csvLine } from "./csv";
import { type CsvRecord, noEmail, type OpenFile, readCsv } from "./reader";
import { storedFields } from "./subscriber-columns";
import { type ChosenPlan, doubtIn, type ImportPlan, type ReadRow, readSubscriber } from "./subscriber-row";
import { headerOf, type Survey, surveyOf } from "./survey";

/** Columns that exports always had keep their places, because programs may count them. */
const firstColumns = ["email", "name", "source", "state", "created_at"] as const;
const columns = [...firstColumns, ...storedFields.filter((field) => !firstColumns.some((first) => first === field))];
const batchSize = 1_000; // rows per commit, so that a running server gets its turn in between
const maxReported = 100; // problems described; further ones are only counted

/** How these people agreed, as stated by the person who imports them. */
export const consentText = field(lines({ min: 10, max: 300 }), {
  label: "How did these people agree?",
  hint: "For example: “Signed up with the form on our old site, 2019–2024”. Kept with every subscriber as proof of consent.",
});

export type ImportReport = Record<Outcome, number> & {
  /** New subscribers whom the file lists as unsubscribed. */
  newUnsubscribed: number;
  /** People whose date of joining could not be read, and is that of the import. */
  undated: number;
  /** People whose language Postroom does not have: they read the site's. */
  otherLanguage: number;
  /** Tags that the site does not have yet, and those that are too long or too many. */
  newTags: number;
  leftOutTags: number;
  /** Rows that were refused, and how many of them because these people never agreed. */
  invalid: number;
  neverAgreed: number;
  /** The first hundred of them. Never contains the row itself. */
  problems: { line: number; message: string }[];
};

const none = {
  new: 0,
  newUnsubscribed: 0,
  already: 0,
  left: 0,
  keptUnsubscribed: 0,
  revived: 0,
  erased: 0,
  undated: 0,
  otherLanguage: 0,
  newTags: 0,
  leftOutTags: 0,
  invalid: 0,
  neverAgreed: 0,
};

/** How a file is read as far as nothing else was chosen. Dates that can be read in two ways are left out. */
export function planOf(survey: Survey, { dates, words, listed }: ChosenPlan = {}): ImportPlan {
  const format = survey.dates?.format ?? "none";
  return {
    encoding: survey.encoding,
    columns: survey.columns,
    dates: dates ?? (format === "ask" ? "none" : format),
    words: words ?? new Map(),
    listed: listed ?? survey.listed,
  };
}

type Source = { open: OpenFile; plan: ImportPlan };

/** Returns a file with the plan that its survey suggests. */
export const recognised = async (open: OpenFile, name: string): Promise<Source> => ({
  open,
  plan: planOf(await surveyOf(open, name)),
});

/**
 * Imports a CSV file that has a header line and at least a column of email addresses. Invalid rows are counted and
 * named; the others are imported. If several rows name one person, the safest of them counts, wherever it is.
 *
 * @throws if it is not CSV, or has no column of email addresses
 */
export async function importCsv(db: Db, source: Source, terms: ImportOptions, now: Date): Promise<ImportReport> {
  const report: ImportReport = { ...none, problems: [] };
  const existing = new Set((await listTags(db)).map(fold));
  const seen = new Set<string>(); // by a dry run, which keeps nothing from one commit to the next
  const tags = new Set<string>();
  let waiting: { person: ImportedSubscriber; key: string }[] = [];
  const settle = async () => {
    const people = waiting.map(({ person }) => person);
    for (const [at, outcome] of (await importAll(db, people, terms, now)).entries()) {
      const {
        person: { state, tags: names = [] },
        key,
      } = waiting[at] ?? noRow();
      const counted = seen.has(key) ? repeated(outcome, state) : outcome;
      report[counted]++;
      if (counted === "new" || (terms.update && counted !== "erased"))
        for (const name of names) if (tags.size <= maxNames) tags.add(fold(name));
      if (counted === "new" && state === "unsubscribed") report.newUnsubscribed++;
    }
    if (terms.dryRun) for (const { key } of waiting) seen.add(key);
    waiting = [];
  };
  for await (const { at, ...row } of rows(source, now)) {
    if ("problem" in row) refuse(report, at, row);
    else {
      if (row.isUndated) report.undated++;
      report.leftOutTags += row.leftOutTags;
      if (row.hasOtherLanguage) report.otherLanguage++;
      waiting.push(row);
    }
    if (waiting.length >= batchSize) await settle();
  }
  await settle();
  return { ...report, ...countTags(existing, tags, report.leftOutTags) };
}

const maxNames = 10_000; // different tags that are counted

/** How many of the tags are new, and how many more than a site may have. */
function countTags(existing: ReadonlySet<string>, tags: Set<string>, leftOutTags: number) {
  const wanted = [...tags].filter((tag) => !existing.has(tag)).length;
  const newTags = Math.min(wanted, Math.max(0, maxTags - existing.size));
  return { newTags, leftOutTags: leftOutTags + wanted - newTags };
}

function noRow(): never {
  throw new Error("More outcomes than people");
}

function refuse(report: ImportReport, line: number, { problem, neverAgreed }: Extract<ReadRow, { problem: string }>) {
  if (neverAgreed) report.neverAgreed++;
  if (++report.invalid <= maxReported) report.problems.push({ line, message: problem });
}

/** The outcome for a person who was in an earlier commit of the same dry run. */
function repeated(outcome: Outcome, state: ImportedSubscriber["state"]): Outcome {
  if (outcome === "erased") return outcome;
  return state === "active" ? "already" : "keptUnsubscribed";
}

/** A CSV file of the rejected lines: line number, reason, and the original line. */
export async function* refusedCsv(source: Source, now: Date): AsyncGenerator<string> {
  yield csvLine(["line", "reason", "original"]);
  for await (const row of rows(source, now))
    if ("problem" in row) yield csvLine([String(row.at), row.problem, row.raw.replace(/(?<![\r\n])[\r\n]+$/, "")]);
}

type Row = { at: number; raw: string } & ReadRow;

/** Yields the rows, with everyone unsubscribed whom any row of the file lists as unsubscribed. */
async function* rows(source: Source, now: Date): AsyncGenerator<Row> {
  const left = new Set<string>();
  const doubtful = new Set<string>();
  for await (const record of records(source)) {
    const doubt = "cells" in record ? doubtIn(source.plan, record.cells) : undefined;
    if (doubt) (doubt.hasLeft ? left : doubtful).add(doubt.key);
  }
  for await (const record of records(source)) {
    const row: Row = "problem" in record ? record : { ...record, ...readSubscriber(source.plan, record.cells, now) };
    if ("problem" in row || row.person.state !== "active") yield row;
    else if (left.has(row.key)) yield { ...row, person: { ...row.person, state: "unsubscribed" } };
    else if (doubtful.has(row.key)) yield { at: row.at, raw: row.raw, problem: isContradicted };
    else yield row;
  }
}

const isContradicted = "another row of the file says that it is not certain that this person is subscribed";

/** Yields the records below the names of the columns. @throws if there are none, or no column of addresses */
async function* records({ open, plan }: Source): AsyncGenerator<CsvRecord> {
  if (!plan.columns.includes("email")) throw new Error(noEmail);
  const all = readCsv(open, plan.encoding);
  try {
    await headerOf(all);
    yield* all;
  } finally {
    await all.return(undefined);
  }
}

/**
 * Exports a list as CSV, by default all subscribers in the order they joined. Importing it into an empty list yields
 * the same list, except for those who have not confirmed or are suppressed, because no import makes them active.
 */
export async function* exportCsv(db: Db, list = pages(db)): AsyncGenerator<string> {
  yield csvLine([...columns, "tags"]);
  for await (const page of list) yield await linesOf(db, page);
}

async function linesOf(db: Db, page: Subscriber[]): Promise<string> {
  const rows = page.map(({ row }) => row);
  const tags = await db.read((orm) => tagsOf(orm, rows));
  return page
    .map((subscriber) => {
      const computed = { state: statusOf(subscriber), created_at: subscriber.createdAt.toISOString() };
      const own = joined((tags.get(subscriber.row) ?? []).map(({ name }) => name));
      return csvLine([...columns.map((column) => ({ ...subscriber, ...computed })[column]), own]);
    })
    .join("");
}
