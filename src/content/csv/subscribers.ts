import { gunzipSync, gzipSync } from "node:zlib";
import type { Db } from "../../../db/engine/open";
import { joinNames } from "../../../db/lib/text";
import { pages } from "../../../db/newsletter/import";
import { allFields } from "../../../db/newsletter/fields";
import { knownOf, nothingKnown } from "../../../db/newsletter/known";
import { statusOf } from "../../../db/newsletter/rules";
import type { Subscriber } from "../../../db/newsletter/subscribers";
import { field } from "../../fields/field";
import { lines } from "../../platform/text/schemas";
import { csvLine } from "./csv";
import { type ImportReport, ImportRun, type ImportTerms, type RowResult } from "./import-run";
import { JsonColumns } from "./json-columns";
import { type CsvRecord, noEmail, type OpenFile, readCsv } from "./reader";
import { type SiteLabels, storedFields } from "./subscriber-columns";
import { type ChosenPlan, doubtIn, type ImportPlan, type ReadRow, readSubscriber } from "./subscriber-row";
import { headerOf, type Survey, surveyOf } from "./survey";

/** Columns that exports always had keep their places, because programs may count them. */
const firstColumns = ["email", "name", "source", "state", "created_at"] as const;
const columns = [...firstColumns, ...storedFields.filter((field) => !firstColumns.some((first) => first === field))];

/** How these people agreed, as stated by the person who imports them. */
export const consentText = field(lines({ min: 10, max: 300 }), {
  label: "How did these people agree?",
  hint: "For example: “Signed up with the form on our old site, 2019–2024”. Kept with every subscriber as proof of consent.",
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

export type { ImportReport, RowResult };

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
 * the same list, except for those who have not confirmed or are suppressed, because no import makes them active.
 */
export async function* exportCsv(db: Db, list = pages(db)): AsyncGenerator<string> {
  const keys = (await db.read(allFields)).map(({ key }) => key);
  yield csvLine([...columns, "tags", "topics", "topics_left", "paused_until", ...keys.map((key) => `field.${key}`)]);
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
      ]);
    })
    .join("");
}
