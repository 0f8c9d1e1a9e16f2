import { parse } from "csv-parse";
import { pipeline, Readable } from "node:stream";
import { asUtf8, type Encoding, encodingOf } from "./encoding";

/** A record of a CSV file, with its last line number. Has a problem instead of cells if it is not valid CSV. */
export type CsvRecord = { at: number; raw: string } & ({ cells: string[] } | { problem: string });

type Parsed = { raw: string; record: string[]; info: { lines: number } };

const separators = [",", ";", "\t"];
const maxRecordSize = 10_000; // characters
const tooLong =
  "has more than 10,000 characters; if a quotation mark is not closed, everything up to the next one is missing";
const recordsPerTurn = 200;
const maxHeaderBytes = 65_536; // of the first line, in which the separator is looked for

/** Opens a file, as often as it is to be read. */
export type OpenFile = () => AsyncIterable<Uint8Array>;

/** Reads a CSV file. Its separator is the comma, semicolon or tab, whichever is most frequent in the first line. */
export async function* readCsv(open: OpenFile, encoding: Encoding): AsyncGenerator<CsvRecord, undefined> {
  const skipped: CsvRecord[] = [];
  const { head, whole } = await withHead(asUtf8(open(), encoding));
  const stated = /^sep=([,;\t])\r?$/i.exec(head)?.[1]; // a line that only Excel reads
  const parser = parse({
    delimiter: stated ?? separatorOf(head),
    from_line: stated ? 2 : 1,
    info: true,
    max_record_size: maxRecordSize,
    raw: true,
    relax_column_count: true,
    relax_quotes: true, // allows a quotation mark within a name
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_skip: (error, raw = "") =>
      void skipped.push({
        at: Number(error?.lines ?? 0),
        raw: raw.slice(0, maxRecordSize),
        problem: error?.code === "CSV_MAX_RECORD_SIZE" ? tooLong : "is not a valid CSV row",
      }),
  });
  pipeline(Readable.from(whole), parser, () => {}); // a failed source fails the parser, and with it the loop below
  let read = 0;
  const records: AsyncIterable<Parsed> = parser;
  for await (const { raw, record, info } of records) {
    if (++read % recordsPerTurn === 0) await new Promise((turn) => setImmediate(turn)); // other requests run in between
    const isBefore = skipped.findIndex(({ at }) => at > info.lines); // the parser reads ahead
    yield* skipped.splice(0, isBefore < 0 ? skipped.length : isBefore);
    yield { at: info.lines, raw, cells: record.map(unguarded) };
  }
  yield* skipped;
}

/** Returns the beginning of a file, with its first line if that is not too long, and the whole file. */
async function withHead(chunks: AsyncGenerator<Uint8Array>) {
  const read: Uint8Array[] = [];
  let bytes = 0;
  for (let isHeadRead = false; !isHeadRead;) {
    const { done, value } = await chunks.next();
    if (value) read.push(value);
    bytes += value?.length ?? 0;
    isHeadRead = done === true || value.includes(10) || bytes >= maxHeaderBytes;
  }
  async function* whole() {
    yield* read;
    yield* chunks;
  }
  const [line = ""] = Buffer.concat(read).subarray(0, maxHeaderBytes).toString().split("\n");
  return { head: line, whole: whole() };
}

function separatorOf(head: string): string {
  const unquoted = head.replaceAll(/"[^"]*"/g, "");
  const counts = separators.map((separator) => unquoted.split(separator).length);
  return separators[counts.indexOf(Math.max(...counts))] ?? ",";
}

type NamedRecord = { at: number; record: Record<string, string> };

/**
 * Reads the records of a CSV file by the names of their columns, in lower case.
 *
 * @param refuse is told about each line that is not valid CSV
 * @throws if the file has no column `email`
 */
export async function* csvRecords(
  open: OpenFile,
  encoding: Encoding | undefined,
  refuse: (at: number, message: string) => undefined,
): AsyncGenerator<NamedRecord> {
  let names: string[] | undefined;
  for await (const row of readCsv(open, encoding ?? (await encodingOf(open())))) {
    if ("problem" in row) refuse(row.at, row.problem);
    else if (names)
      yield { at: row.at, record: Object.fromEntries(names.map((name, at) => [name, row.cells[at] ?? ""])) };
    else names = row.cells.map((name) => name.trim().toLowerCase());
    if (names && !names.includes("email")) break;
  }
  if (!names?.includes("email")) throw new Error(noEmail);
}

export const noEmail = "The first line must name the columns and include email";

/** One line of a CSV file (RFC 4180), made safe for spreadsheets. */
export const csvLine = (cells: (string | null | undefined)[]): string =>
  `${cells.map((text) => quoted(guarded(text ?? ""))).join(",")}\r\n`;

/**
 * How a formula can begin in some spreadsheet (OWASP, CSV injection). Full-width, small and superscript forms count,
 * because some programs fold them, and so do formulas after white space and invisible characters, because some skip
 * those.
 */
const formula = "[\\s\\p{Z}\\p{C}\\p{Default_Ignorable_Code_Point}]*[=+\\-@\\t\\r\\n＝＋－＠﹦﹢﹣﹫⁼⁺⁻₌₊₋−]";
const looksLikeFormula = new RegExp(`^'*${formula}`, "u");
const isGuarded = new RegExp(`^'+${formula}`, "u");

/** A leading apostrophe turns it into text. */
const guarded = (text: string) => (looksLikeFormula.test(text) ? `'${text}` : text);

/** Removes the apostrophe, so that importing an export yields the original text. */
export const unguarded = (text: string): string => (isGuarded.test(text) ? text.slice(1) : text);

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
