import { parse } from "csv-parse";
import { pipeline, Readable } from "node:stream";
import { z } from "zod";
import type { Db } from "../../db/engine/open";
import {
  importAll,
  type ImportedSubscriber,
  type Outcome,
  pages,
  type ImportOptions,
} from "../../db/newsletter/import";
import { csvLine, unguarded } from "./csv";
import { line, optional } from "../http/request-schemas";
import { emailAddress } from "../http/email-address";

const columns = ["email", "name", "source", "state", "created_at"] as const;
const batchSize = 1_000; // rows per commit, so that a running server gets its turn in between
const maxReported = 100; // problems described; further ones are only counted

type ImportReport = Record<Outcome, number> & {
  invalid: number;
  /** The first hundred of them. Never contains the row itself. */
  problems: { line: number; message: string }[];
};

const Row = z.object({
  email: emailAddress,
  name: optional(line({ max: 100 })),
  source: optional(line({ max: 100 })),
  state: optional(z.enum(["active", "unsubscribed"], "must be active or unsubscribed")),
  created_at: optional(z.iso.datetime({ offset: true, error: "must be an ISO 8601 timestamp" })),
});

/**
 * Imports a CSV file with the columns of the export, in any order; only `email` is required. Invalid rows are counted
 * and named; the others are imported.
 *
 * @throws if it is not CSV, or has no column `email`
 */
export async function importCsv(
  db: Db,
  file: AsyncIterable<Uint8Array>,
  terms: ImportOptions,
  now: Date,
): Promise<ImportReport> {
  const report: ImportReport = { new: 0, already: 0, keptUnsubscribed: 0, revived: 0, invalid: 0, problems: [] };
  let waiting: ImportedSubscriber[] = [];

  const refuse: Refuse = (at, message) => {
    if (++report.invalid <= maxReported) report.problems.push({ line: at, message });
    return undefined;
  };
  const settle = async () => {
    for (const outcome of await importAll(db, waiting, terms, now)) report[outcome]++;
    waiting = [];
  };

  for await (const { at, record } of csvRecords(file, refuse)) {
    const row = Row.safeParse(record);
    if (row.success) waiting.push(incoming(row.data, now));
    else refuse(at, row.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("; "));
    if (waiting.length >= batchSize) await settle();
  }
  await settle();
  return report;
}

function incoming(
  { email, name, source, state = "active", created_at }: z.output<typeof Row>,
  now: Date,
): ImportedSubscriber {
  const stated = created_at ? new Date(created_at) : now;
  const createdAt = stated > now ? now : stated; // a time in the future is an error in the file
  return { email, name: name ?? null, source: source ?? null, state, createdAt };
}

type Refuse = (at: number, message: string) => undefined;
type CsvRow = { record: Record<string, string>; info: { lines: number } };

export async function* csvRecords(file: AsyncIterable<Uint8Array>, refuse: Refuse) {
  const parser = parse({
    bom: true,
    columns: namesOf,
    info: true,
    max_record_size: 10_000,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_skip: (error) => refuse(Number(error?.lines ?? 0), "is not a valid CSV row"),
  });
  pipeline(Readable.from(file), parser, () => {}); // a failed source fails the parser, and with it the loop below
  for await (const { record, info } of parser as AsyncIterable<CsvRow>) yield { at: info.lines, record: plain(record) };
}

const plain = (record: Record<string, string>) =>
  Object.fromEntries(Object.entries(record).map(([name, text]) => [name, unguarded(text)]));

function namesOf(header: string[]): string[] {
  const names = header.map((name) => name.trim().toLowerCase());
  if (!names.includes("email")) throw new Error("The first line must name the columns and include email");
  return names;
}

/**
 * Exports a list as CSV, by default all subscribers in the order they joined. Importing it into an empty list yields
 * the same list.
 */
export async function* exportCsv(db: Db, list = pages(db)): AsyncGenerator<string> {
  yield csvLine([...columns]);
  for await (const page of list)
    yield page
      .map(({ email, name, source, state, createdAt }) =>
        csvLine([email, name, source, state, createdAt.toISOString()]),
      )
      .join("");
}
