import type { Db } from "../../../db/engine/open";
import {
  importAll,
  type ImportedSubscriber,
  type Outcome,
  pages,
  type ImportOptions,
} from "../../../db/newsletter/import";
import { lines } from "../../http/text/schemas";
import { csvLine } from "./csv";
import { type CsvRecord, noEmail, readCsv } from "./reader";
import { guessColumns, type ImportField } from "./subscriber-columns";
import { readSubscriber } from "./subscriber-row";

const columns = ["email", "name", "source", "state", "created_at"] as const;
const batchSize = 1_000; // rows per commit, so that a running server gets its turn in between
const maxReported = 100; // problems described; further ones are only counted
const rowsInSample = 20;
const maxColumns = 100;

/** How these people agreed, as stated by the person who imports them. */
export const consentText = lines({ min: 10, max: 300 });

type ImportReport = Record<Outcome, number> & {
  /** New subscribers whom the file lists as unsubscribed. */
  newUnsubscribed: number;
  invalid: number;
  /** The first hundred of them. Never contains the row itself. */
  problems: { line: number; message: string }[];
};

const none = { new: 0, newUnsubscribed: 0, already: 0, keptUnsubscribed: 0, revived: 0, erased: 0, invalid: 0 };

/** The fields of the columns; if absent, they are guessed. */
type Matched = { columns?: ImportField[] | undefined };

/**
 * Imports a CSV file that has a header line and at least a column of email addresses. Invalid rows are counted and
 * named; the others are imported.
 *
 * @throws if it is not CSV, or has no column of email addresses
 */
export async function importCsv(
  db: Db,
  file: AsyncIterable<Uint8Array>,
  terms: ImportOptions & Matched,
  now: Date,
): Promise<ImportReport> {
  const report: ImportReport = { ...none, problems: [] };
  let waiting: ImportedSubscriber[] = [];
  const settle = async () => {
    for (const [at, outcome] of (await importAll(db, waiting, terms, now)).entries()) {
      report[outcome]++;
      if (outcome === "new" && waiting[at]?.state === "unsubscribed") report.newUnsubscribed++;
    }
    waiting = [];
  };
  for await (const { at, ...row } of rows(file, terms, now)) {
    if ("person" in row) waiting.push(row.person);
    else if (++report.invalid <= maxReported) report.problems.push({ line: at, message: row.problem });
    if (waiting.length >= batchSize) await settle();
  }
  await settle();
  return report;
}

/** A CSV file of the rejected lines: line number, reason, and the original line. */
export async function* refusedCsv(file: AsyncIterable<Uint8Array>, terms: Matched, now: Date): AsyncGenerator<string> {
  yield csvLine(["line", "reason", "original"]);
  for await (const row of rows(file, terms, now))
    if ("problem" in row) yield csvLine([String(row.at), row.problem, row.raw.replace(/(?<![\r\n])[\r\n]+$/, "")]);
}

type Row = { at: number; raw: string } & ({ person: ImportedSubscriber } | { problem: string });

async function* rows(file: AsyncIterable<Uint8Array>, { columns: chosen }: Matched, now: Date): AsyncGenerator<Row> {
  const records = readCsv(file);
  try {
    const { header, first } = await begin(records);
    const matched = chosen ?? guessColumns(header, cellsOf(first));
    if (!matched.includes("email")) throw new Error(noEmail);
    const row = (record: CsvRecord): Row =>
      "problem" in record ? record : { ...record, ...readSubscriber(matched, record.cells, now) };
    yield* first.map(row);
    for await (const record of records) yield row(record);
  } finally {
    await records.return(undefined);
  }
}

/** Returns the column names and the first rows, for choosing the fields of the columns. @throws if there are none */
export async function sampleOf(file: AsyncIterable<Uint8Array>) {
  const records = readCsv(file);
  const { header, first } = await begin(records).finally(() => records.return(undefined));
  const sample = cellsOf(first);
  if (!sample.length) throw new Error("No rows below the names of the columns");
  return { header, rows: sample, guessed: guessColumns(header, sample) };
}

async function begin(records: AsyncGenerator<CsvRecord, undefined>) {
  const { value: names } = await records.next();
  if (!names || "problem" in names || names.cells.length > maxColumns) throw new Error(noEmail);
  const first: CsvRecord[] = [];
  while (first.length < rowsInSample) {
    const { value } = await records.next();
    if (!value) break;
    first.push(value);
  }
  return { header: names.cells, first };
}

const cellsOf = (records: CsvRecord[]) => records.flatMap((record) => ("cells" in record ? [record.cells] : []));

/**
 * Exports a list as CSV, by default all subscribers in the order they joined. Importing it into an empty list yields
 * the same list, except for those who have not confirmed, because no import makes them active.
 */
export async function* exportCsv(db: Db, list = pages(db)): AsyncGenerator<string> {
  yield csvLine([...columns]);
  for await (const page of list)
    yield page
      .map(({ email, name, source, state, pendingAt, createdAt }) =>
        csvLine([email, name, source, state === "active" && pendingAt ? "pending" : state, createdAt.toISOString()]),
      )
      .join("");
}
