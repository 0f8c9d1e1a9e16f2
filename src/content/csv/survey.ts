import { basename } from "node:path";
import { type DateFormat, readings } from "./dates";
import { type Encoding, encodingOf, NoList } from "./encoding";
import { JsonColumns, type JsonValue } from "./json-columns";
import { type CsvRecord, noEmail, type OpenFile, readCsv } from "./reader";
import { isExclusion, statedBy, wordOf } from "./status-words";
import {
  type ColumnFacts,
  columnFacts,
  guessColumns,
  type ImportField,
  isOwnField,
  noLabels,
  observe,
  type SiteLabels,
  type StatusWord,
  statusWords,
} from "./subscriber-columns";

/** Whom a file lists: as its rows say, or as its name says, people who all left or never agreed. */
export type Listed = "stated" | "left" | "never";

/** What was found out about a file by reading all of it. */
export type Survey = {
  encoding: Encoding;
  /** The names of the columns, and below them those of the values in columns of JSON. */
  header: string[];
  json: JsonValue[];
  /** The first rows. */
  rows: string[][];
  columns: ImportField[];
  listed: Listed;
  dates: ColumnDates | undefined;
  words: StatusWord[];
  /** The columns that count as no status although they say that people are not subscribed, with how many. */
  ignored: { name: string; count: number; isField: boolean }[];
};

/** The format of the column of dates. "ask" if two fit: then the example can be read in two ways. */
type ColumnDates = { column: number; name: string; format: DateFormat | "ask"; example: string };

const rowsInSample = 20;
const maxColumns = 100;

/** The choices already made. Absent ones are found out from the file. */
type Decided = { encoding?: Encoding | undefined; columns?: ImportField[] | undefined };
/** `site`: the topics and fields that columns may be called after. */
type Reading = Decided & { site?: SiteLabels };

/**
 * Reads a whole file to find out its encoding, the fields of its columns, the format of its dates and its words for
 * statuses.
 *
 * @throws if the first line does not name at most a hundred columns
 */
export async function surveyOf(open: OpenFile, name: string, decided: Reading = {}): Promise<Survey> {
  const encoding = decided.encoding ?? (await encodingOf(open()));
  const records = readCsv(open, encoding);
  try {
    const header = await headerOf(records);
    const facts = header.map((column) => columnFacts(column));
    const dates = header.map(() => new Dates());
    const rows: string[][] = [];
    const inFile = header.length;
    const json = new JsonColumns(inFile, maxColumns - inFile);
    for await (const record of records) {
      if (!("cells" in record)) continue;
      json.discover(record.cells);
      for (const { column, path } of json.values.slice(facts.length - inFile)) {
        facts.push(columnFacts(path, true));
        dates.push(new Dates());
        for (const whole of facts.slice(column, column + 1)) whole.hasValues = true;
        header.push(`${header[column] ?? ""}.${path}`);
      }
      const cells = json.expanded(record.cells);
      if (rows.length < rowsInSample) rows.push(cells);
      for (const [at, column] of facts.entries())
        observe(column, cells[at] ?? "", (text) => dates[at]?.observe(text) ?? false);
    }
    const read = { encoding, header, json: json.values, rows, listed: listedBy(name) };
    return { ...read, ...summary(header, facts, dates, decided) };
  } finally {
    await records.return(undefined);
  }
}

/** Reads the names of the columns. @throws if there are none, or too many */
export async function headerOf(records: AsyncGenerator<CsvRecord, undefined>): Promise<string[]> {
  const { value: first } = await records.next();
  if (!first || "problem" in first || first.cells.length > maxColumns) throw new Error(noEmail);
  if (first.cells.some((cell) => /^\S+@\S+\.\S+$/.test(cell.trim())))
    throw new NoList("The first line must name the columns: it has an email address");
  return first.cells;
}

function summary(header: string[], facts: ColumnFacts[], dates: Dates[], decided: Reading) {
  const columns = decided.columns ?? guessColumns(facts, decided.site ?? noLabels);
  const column = columns.indexOf("joined");
  const ignored = facts.flatMap(({ exclusions: count }, at) => {
    const field = columns[at] ?? "";
    const isField = isOwnField(field);
    return count > 0 && (!field || isField) ? [{ name: header[at] ?? "", count, isField }] : [];
  });
  const dateFormat = dates[column]?.found();
  return {
    columns,
    words: statusWords(facts, columns),
    ignored,
    dates: dateFormat && { column, name: header[column] ?? "", ...dateFormat },
  };
}

/** Mailchimp's four files and Kit's begin with whom they list: `nonsubscribed_email_audience_export_….csv`. */
function listedBy(name: string): Listed {
  const [first = "", second = ""] = basename(name)
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter(Boolean);
  const word = [first, first + second].map(wordOf).find(isExclusion); // "unsubscribed", "non-subscribed"
  const status = word === undefined ? undefined : statedBy(word);
  if (status === "unsubscribed") return "left";
  return status ? "never" : "stated";
}

/** Finds out the format of the dates of a column. */
class Dates {
  private readonly counts = new Map<DateFormat, number>();
  /** A date that is one day if the day is first, and another if the month is first. */
  private twofold = "";

  /** Returns whether it is a date. */
  observe(text: string): boolean {
    const possible = readings(text);
    for (const { format } of possible) this.counts.set(format, (this.counts.get(format) ?? 0) + 1);
    const of = (wanted: DateFormat) => possible.find(({ format }) => format === wanted)?.date.getTime();
    const [day, month] = [of("day-first"), of("month-first")];
    if (!this.twofold && day !== undefined && month !== undefined && day !== month) this.twofold = text;
    return possible.length > 0;
  }

  /** Returns the format that most of them have; undefined if there is no date. */
  found(): Pick<ColumnDates, "format" | "example"> | undefined {
    const [most] = [...this.counts].sort(([, a], [, b]) => b - a);
    if (!most) return undefined;
    const isEven = this.counts.get("day-first") === this.counts.get("month-first");
    const isOpen = this.twofold && isEven && (most[0] === "day-first" || most[0] === "month-first");
    return { format: isOpen ? "ask" : most[0], example: this.twofold };
  }
}
