import { gunzipSync, gzipSync } from "node:zlib";
import type { Db } from "../../../db/engine/open";
import { joinNames } from "../../../db/lib/text";
import { allFields } from "../../../db/newsletter/fields";
import { importAll, type ImportOptions, type Outcome, pages, peopleHere } from "../../../db/newsletter/import";
import { knownOf, nothingKnown } from "../../../db/newsletter/by-row";
import { detailColumn, detailNames } from "../../../db/newsletter/details";
import { statusOf } from "../../../db/newsletter/rules";
import type { Subscriber } from "../../../db/newsletter/subscribers";
import { field } from "../../fields/field";
import { lines } from "../../platform/text/schemas";
import { JsonColumns } from "./json-columns";
import { ImportLabels } from "./labels";
import { csvLine, type CsvRecord, noEmail, type OpenFile, readCsv } from "./reader";
import type { SiteLabels } from "./subscriber-columns";
import {
  type ChosenPlan,
  doubtIn,
  type ImportPlan,
  type PersonRow,
  type ReadRow,
  readSubscriber,
} from "./subscriber-row";
import { headerOf, type Survey, surveyOf } from "./survey";

/** Columns that exports always had keep their places, because programs may count them: newer ones come later. */
const firstColumns = ["email", "name", "source", "state", "created_at"] as const;
const columns = [...firstColumns, "language"] as const;
const lastDetails = detailNames.filter((name) => !columns.some((column) => column === name));

/** How these people agreed, as stated by the person who imports them. */
export const consentText = field(lines({ min: 10, max: 300 }), {
  label: "How did these people agree?",
  hint: "10–300 characters, for example “Signed up with the form on our old site, 2019–2024”. Kept with every subscriber as proof of consent.",
});

/** How a file is read as far as nothing else was chosen. Dates that can be read in two ways are left out. */
export function planOf(survey: Survey, { dates, words, listed }: ChosenPlan = {}): ImportPlan {
  const format = survey.dates?.format ?? "none";
  return {
    encoding: survey.encoding,
    header: survey.header,
    json: survey.json,
    columns: survey.columns,
    dates: dates ?? (format === "ask" ? "none" : format),
    words: words ?? new Map(),
    listed: listed ?? survey.listed,
  };
}

type Source = { open: OpenFile; plan: ImportPlan };

/** Returns a file with the plan that its survey suggests. */
export const recognised = async (open: OpenFile, name: string, site?: SiteLabels): Promise<Source> => ({
  open,
  plan: planOf(await surveyOf(open, name, site && { site })),
});

/**
 * Imports a CSV file that has a header line and at least a column of email addresses. Invalid rows are counted and
 * named; the others are imported. If several rows name one person, the safest of them counts, wherever it is.
 *
 * @param terms `each` is told what became of each row, in the order of the file
 * @throws if it is not CSV, or has no column of email addresses
 */
export async function importCsv(
  db: Db,
  source: Source,
  terms: ImportTerms & { each?: (row: RowResult) => void },
  now: Date,
): Promise<ImportReport> {
  const { each = () => {} } = terms;
  const run = await ImportRun.of(db, source.plan, terms, now);
  for await (const row of rows(source, now)) for (const result of await run.add(row)) each(result);
  for (const result of await run.settle()) each(result);
  return run.report;
}

/** A CSV file of the rejected lines: line number, reason, and the original line. */
export async function* refusedCsv(source: Source, now: Date): AsyncGenerator<string> {
  yield csvLine(["line", "reason", "original"]);
  for await (const row of rows(source, now))
    if ("problem" in row) yield csvLine([String(row.at), row.problem, row.raw.replace(/(?<![\r\n])[\r\n]+$/, "")]);
}

const results: Record<RowResult["result"], string> = {
  new: "new",
  already: "here already",
  left: "unsubscribed",
  keptUnsubscribed: "still unsubscribed",
  revived: "reactivated",
  erased: "not imported, erased on request",
  refused: "refused",
};

const maxUncompressed = 1_000_000; // characters

/** The report of an import: its lines with what became of each, as a CSV file. */
export class ReportLines {
  private text = csvLine(["line", "email", "result", "note"]);
  private readonly written: Buffer[] = [];

  add = ({ line, email, result, note }: RowResult): void => {
    this.text += csvLine([String(line), email, results[result], note]);
    if (this.text.length > maxUncompressed) this.compress();
  };

  /** The whole file, compressed: it may have as many lines as a list has people. */
  gzipped(): Buffer {
    this.compress();
    return Buffer.concat(this.written);
  }

  async *unzipped(): AsyncGenerator<string> {
    this.compress();
    for (const part of this.written) yield gunzipSync(part).toString();
  }

  private compress(): void {
    this.written.push(gzipSync(this.text));
    this.text = "";
  }
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
  const json = new JsonColumns(plan.header.length - plan.json.length, 0, plan.json);
  try {
    await headerOf(all);
    for await (const record of all)
      yield "cells" in record ? { ...record, cells: json.expanded(record.cells) } : record;
  } finally {
    await all.return(undefined);
  }
}

/**
 * Exports a list as CSV, by default all subscribers in the order they joined. Importing it into an empty list yields
 * the same list, except for those who have not confirmed or are suppressed, because no import makes them active, and for
 * how they agreed, which who imports it states.
 */
export async function* exportCsv(db: Db, list = pages(db)): AsyncGenerator<string> {
  const keys = (await db.read(allFields)).map(({ key }) => key);
  yield csvLine([
    ...columns,
    "tags",
    "topics",
    "topics_left",
    "paused_until",
    ...keys.map((key) => `field.${key}`),
    ...lastDetails.map(detailColumn),
  ]);
  for await (const page of list) yield await linesOf(db, page, keys);
}

async function linesOf(db: Db, page: Subscriber[], keys: string[]): Promise<string> {
  const rows = page.map(({ row }) => row);
  const labels = await db.read((orm) => knownOf(orm, rows));
  return page
    .map((subscriber) => {
      const computed = { state: statusOf(subscriber), created_at: subscriber.createdAt.toISOString() };
      const { tags, topics, fields } = labels.get(subscriber.row) ?? nothingKnown;
      const topicsThat = (isChosen: boolean) => topics.flatMap(({ name, chosen }) => (chosen === isChosen ? name : []));
      const valueOf = (key: string) => fields.find((one) => one.field.key === key)?.value;
      return csvLine([
        ...columns.map((column) => ({ ...subscriber, ...computed })[column]),
        joinNames(tags),
        joinNames(topicsThat(true)),
        joinNames(topicsThat(false)),
        subscriber.pausedUntil?.toISOString(),
        ...keys.map((key) => valueOf(key)?.toString()),
        ...lastDetails.map((name) => subscriber[name]),
      ]);
    })
    .join("");
}

const batchSize = 1_000; // rows per commit, so that a running server gets its turn in between
const maxReported = 100; // problems described; further ones are only counted
const maxNamed = 20; // new tags and topics that are named

type ImportTerms = ImportOptions & {
  /** Makes the topics and fields that the site does not have yet. New tags are always made. */
  define?: boolean;
};

type Counts = Record<Outcome, number> & {
  /** New subscribers whom the file lists as unsubscribed. */
  newUnsubscribed: number;
  /** People whose date of joining could not be read, and is that of the import. */
  undated: number;
  /** People whose language Postroom does not have: they read the site's. */
  otherLanguage: number;
  /** Rows that were refused, and how many of them because these people never agreed. */
  invalid: number;
  neverAgreed: number;
};

export type ImportReport = Counts &
  /** New are those that the site does not have yet; left out is what is too long, too many, or does not fit a field. */
  ImportLabels["counts"] & {
    /** The first of what is new. */
    made: ImportLabels["names"];
    /** The first hundred rows that were refused. Never contains the row itself. */
    problems: { line: number; message: string }[];
  };

const none: Counts = {
  new: 0,
  newUnsubscribed: 0,
  already: 0,
  left: 0,
  keptUnsubscribed: 0,
  revived: 0,
  erased: 0,
  undated: 0,
  otherLanguage: 0,
  invalid: 0,
  neverAgreed: 0,
};

/** A row of the file with what became of it. */
type RowResult = { line: number; email: string; result: Outcome | "refused"; note: string };
type NumberedRow = { at: number } & ReadRow;

/** Brings the rows of a file in, a thousand in a commit, and counts what became of them. */
class ImportRun {
  private readonly counts = { ...none };
  private readonly problems: ImportReport["problems"] = [];
  private readonly seen = new Set<string>(); // by a dry run, which keeps nothing from one commit to the next
  private waiting: ({ at: number } & PersonRow)[] = [];
  private results: RowResult[] = [];

  private constructor(
    private readonly db: Db,
    private readonly labels: ImportLabels,
    private readonly terms: ImportTerms,
    private readonly now: Date,
  ) {}

  static async of(db: Db, plan: ImportPlan, terms: ImportTerms, now: Date): Promise<ImportRun> {
    return new ImportRun(db, await ImportLabels.of(db, plan, terms.define === true), terms, now);
  }

  /** Returns the results that became certain, in the order of the file. */
  async add(row: NumberedRow): Promise<RowResult[]> {
    if ("problem" in row) this.refuse(row);
    else {
      if (row.isUndated) this.counts.undated++;
      if (row.hasOtherLanguage) this.counts.otherLanguage++;
      this.labels.see(row);
      this.waiting.push(row);
    }
    return this.waiting.length >= batchSize ? this.settle() : [];
  }

  async settle(): Promise<RowResult[]> {
    const rows = this.waiting;
    await this.defineLabels(rows);
    const people = rows.map(({ person, labels }) => ({ ...person, ...this.labels.stored(labels) }));
    for (const [at, outcome] of (await importAll(this.db, people, this.terms, this.now)).entries())
      this.count(rows[at] ?? noRow(), outcome);
    if (this.terms.dryRun) for (const { key } of rows) this.seen.add(key);
    const results = this.results.toSorted((one, other) => one.line - other.line);
    [this.waiting, this.results] = [[], []];
    return results;
  }

  get report(): ImportReport {
    const { tags, topics, fields } = this.labels.names;
    const made = { tags: tags.slice(0, maxNamed), topics: topics.slice(0, maxNamed), fields };
    return { ...this.counts, ...this.labels.counts, made, problems: this.problems };
  }

  /** Only what someone gets is made, because people see topics. */
  private async defineLabels(rows: PersonRow[]): Promise<void> {
    const { dryRun, define, update, by, origin } = this.terms;
    if (dryRun || !define) return;
    const keys = rows.map(({ key }) => key);
    const here = update ? new Set<string>() : await this.db.read((orm) => peopleHere(orm, keys));
    const labels = rows.filter(({ key }) => !here.has(key)).map((row) => row.labels);
    await this.labels.define(this.db, labels, by ?? { actor: origin.actor ?? "import" }, this.now);
  }

  private count(row: { at: number } & PersonRow, outcome: Outcome): void {
    const { state } = row.person;
    const result = this.seen.has(row.key) ? repeated(outcome, state) : outcome;
    this.counts[result]++;
    if (result === "new" && state === "unsubscribed") this.counts.newUnsubscribed++;
    if (result === "new" || (this.terms.update && result !== "erased")) this.labels.count(row);
    this.results.push({ line: row.at, email: row.person.email, result, note: noteOf(row) });
  }

  private refuse({ at, problem, neverAgreed, email = "" }: Extract<NumberedRow, { problem: string }>): void {
    if (neverAgreed) this.counts.neverAgreed++;
    if (++this.counts.invalid <= maxReported) this.problems.push({ line: at, message: problem });
    this.results.push({ line: at, email, result: "refused", note: problem });
  }
}

function noteOf({
  person,
  isUndated,
  hasOtherLanguage,
  hasUnknownZone,
  leftOutTags,
  leftOutTopics,
}: PersonRow): string {
  const leftOut = leftOutTags + leftOutTopics;
  return [
    person.state === "unsubscribed" && "unsubscribed in the file",
    isUndated && "the date cannot be read",
    hasOtherLanguage && "the language is not one of Postroom’s",
    hasUnknownZone && "the time zone is not known",
    leftOut > 0 && `${leftOut} tags or topics left out`,
  ]
    .filter(Boolean)
    .join("; ");
}

function noRow(): never {
  throw new Error("More outcomes than people");
}

/** The outcome for a person who was in an earlier commit of the same dry run. */
function repeated(outcome: Outcome, state: PersonRow["person"]["state"]): Outcome {
  if (outcome === "erased") return outcome;
  return state === "active" ? "already" : "keptUnsubscribed";
}
