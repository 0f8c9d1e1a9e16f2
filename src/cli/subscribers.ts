import * as audit from "../../db/audit";
import type { Db } from "../../db/engine/open";
import { splitNames } from "../../db/lib/text";
import { notStated } from "../../db/newsletter/import";
import { dateFormats, type DateFormat, isDateFormat } from "../content/csv/dates";
import { encodings } from "../content/csv/encoding";
import { labelsOfSite } from "../content/csv/labels";
import { asCsv } from "../content/csv/other-files";
import type { OpenFile } from "../content/csv/reader";
import { type ImportField, isImportField, isNewField, problemOfColumns } from "../content/csv/subscriber-columns";
import type { ChosenStatus } from "../content/csv/subscriber-row";
import { wordOf } from "../content/csv/status-words";
import {
  consentText,
  exportCsv,
  importCsv,
  type ImportReport,
  planOf,
  refusedCsv,
  ReportLines,
} from "../content/csv/subscribers";
import { type Survey, surveyOf } from "../content/csv/survey";
import { actor, type Command, complain, encodingFlag, type Flags, openCsv, print, withData, writeNew } from "./command";

const usage = [
  'subscribers import <file> [--consent="…"] [--refused=<file>] [--report=<file>] [--revive] [--update] [--begin]',
  '[--define] [--columns="City=field:city,…"] [--encoding=E] [--dates=F] [--words="unpaid=active,…"]',
];

export const commands: Command[] = [
  {
    usage: usage.join(" "),
    about: `Import subscribers from a CSV file, the JSON of listmonk’s or Ghost’s API, or a dump of either’s database; --consent says how they agreed, --refused writes a CSV file of refused lines, --report one that says what became of each line, --revive also reactivates unsubscribed addresses, --update also adds tags and topics, and sets fields, languages and time zones, of people who are here already, --begin also lets people begin the sequences of the tags and topics that they get, --define also makes topics and fields that the site does not have, --columns says what columns hold (topics, tags, field:KEY, new:text, new:number, new:date, new:boolean, or nothing). What the file does not make clear: --encoding (${Object.keys(encodings).join(", ")}), --dates (${Object.keys(dateFormats).join(", ")}), and --words, what words for a status mean (active, unsubscribed or refused)`,
    options: {
      consent: { type: "string" },
      refused: { type: "string" },
      report: { type: "string" },
      revive: { type: "boolean", default: false },
      update: { type: "boolean", default: false },
      begin: { type: "boolean", default: false },
      define: { type: "boolean", default: false },
      columns: { type: "string" },
      encoding: { type: "string" },
      dates: { type: "string" },
      words: { type: "string" },
    },
    run: ([file = ""], { consent: stated, refused, report, revive, update, begin, define, ...read }) =>
      withData(async ({ db, now }) => {
        const given = await openCsv(file);
        const converted = await asCsv(given);
        const open = converted ? () => new Blob([new Uint8Array(converted)]).stream() : given;
        const chosen = { dates: dateFlag(read.dates), words: wordsFlag(read.words) };
        const survey = await surveyed(db, { open, file }, read);
        const source = { open, plan: planOf(survey, clear(survey, chosen)) };
        tell(survey, chosen);
        if (!define) tellLeftOut(survey);
        const consent = consentOf(stated);
        const by = { actor };
        const origin = { via: "import" as const, actor };
        const terms = {
          revive: revive === true,
          update: update === true,
          begin: begin === true,
          define: define === true,
          consent,
          origin,
          by,
        };
        if (typeof refused === "string") await writeNew(refused, refusedCsv(source, now));
        const lines = new ReportLines();
        const run = () => importCsv(db, source, { ...terms, each: lines.add }, now);
        const {
          problems,
          made: _,
          ...counts
        } = await (typeof report === "string" ? reported(report, run, lines) : run());

        for (const { line, message } of problems) complain(`line ${line}: ${message}`);
        for (const [name, n] of Object.entries(counts)) print(names[name] ?? name, n);
        return counts.invalid ? 1 : 0;
      }),
  },
  {
    usage: "subscribers export <file>",
    about: "Export all subscribers to a new CSV file",
    run: ([name = ""]) =>
      withData(({ db, now }) =>
        writeNew(name, exportCsv(db), () => audit.recordAlone(db, { actor, action: "subscriber.export" }, now)),
      ),
  },
];

type Chosen = { dates?: DateFormat | undefined; words: Map<string, ChosenStatus> };

/** @throws if the dates can be read in two ways and no one has said which */
function clear<T extends Chosen>({ dates }: Survey, chosen: T): T {
  if (dates?.format === "ask" && !chosen.dates)
    throw new Error(
      `The dates in “${dates.name}” can be read in two ways, such as ${dates.example}. Say which with --dates=day-first or --dates=month-first. Nothing was imported.`,
    );
  return chosen;
}

/** Says how the file is read, as far as that is not obvious. */
function tell({ encoding, dates, words, listed }: Survey, chosen: Chosen): void {
  if (encoding !== "utf-8") complain(`The file is read as ${encodings[encoding]}. If that is wrong, say --encoding.`);
  const format = chosen.dates ?? dates?.format;
  if (dates && format && format !== "ask" && format !== "year-first")
    complain(`The dates in “${dates.name}” are read as: ${dateFormats[format]}. If that is wrong, say --dates.`);
  if (listed === "never")
    complain("By its name, the file lists people who never agreed to get emails. None of them is imported.");
  if (listed === "left")
    complain("By its name, the file lists people who have unsubscribed. All of them are imported as unsubscribed.");
  for (const { word, text, count, status } of words)
    if (!status && !chosen.words.has(word))
      complain(`The status “${text}” is not known (rows: ${count}). Say what it means with --words="${text}=active".`);
}

/** Imports, and writes the report into a file that is opened before: nothing is imported if it cannot be written. */
async function reported(name: string, run: () => Promise<ImportReport>, lines: ReportLines): Promise<ImportReport> {
  let report: ImportReport | undefined;
  await writeNew(name, linesAfter());
  return report ?? run();

  async function* linesAfter() {
    report = await run();
    yield* lines.unzipped();
  }
}

/** Finds out how a file is read. What is said of columns counts before what their names say. */
async function surveyed(db: Db, { open, file }: { open: OpenFile; file: string }, flags: Flags): Promise<Survey> {
  const site = await labelsOfSite(db);
  const encoding = encodingFlag(flags.encoding);
  const survey = await surveyOf(open, file, { encoding, site });
  if (flags.columns === undefined) return survey;
  const columns = columnsFlag(String(flags.columns), survey);
  const problem = problemOfColumns(columns);
  if (problem) throw new Error(problem);
  return surveyOf(open, file, { encoding, site, columns });
}

/** Reads "City=field:city,Interests=topics,Phone=". */
function columnsFlag(text: string, { header, columns }: Survey): ImportField[] {
  const chosen = [...columns];
  for (const pair of splitNames(text)) {
    const [name = "", field = "?"] = pair.split(/=(?=[^=]*$)/);
    const at = header.findIndex((column) => column.trim() === name.trim());
    if (at < 0) throw new Error(`--columns: the file has no column “${name.trim()}”.`);
    const hold = field.trim();
    if (!isImportField(hold)) throw new Error('--columns must be pairs such as "City=field:city,Interests=topics".');
    chosen[at] = hold;
  }
  return chosen;
}

/** Names the columns that would become fields if they were asked for. */
function tellLeftOut({ header, columns }: Survey): void {
  const names = header.filter((_, at) => isNewField(columns[at] ?? "")).map((name) => `“${name.trim()}”`);
  if (names.length) complain(`Not imported: ${names.join(", ")}. Say --define to make fields of them.`);
}

function dateFlag(text: Flags[string]): DateFormat | undefined {
  if (text === undefined) return undefined;
  if (typeof text === "string" && isDateFormat(text)) return text;
  throw new Error(`--dates must be one of ${Object.keys(dateFormats).join(", ")}.`);
}

const meanings: ChosenStatus[] = ["active", "unsubscribed", "refused"];

/** Reads "unpaid=active,gone=unsubscribed". */
function wordsFlag(text: Flags[string] = ""): Map<string, ChosenStatus> {
  const pairs = String(text).split(",").filter(Boolean);
  return new Map(
    pairs.map((pair) => {
      const [word = "", means] = pair.split("=");
      const meaning = meanings.find((one) => one === means?.trim());
      if (!wordOf(word) || !meaning)
        throw new Error('--words must be pairs such as "unpaid=active,gone=unsubscribed,test=refused".');
      return [wordOf(word), meaning];
    }),
  );
}

/** How these people agreed. @throws if the text is too short or too long */
function consentOf(stated: Flags[string]): string {
  if (stated === undefined) {
    complain("How these people agreed is kept as “not stated”. Say it with --consent.");
    return notStated;
  }
  const { data } = consentText.safeParse(stated);
  if (!data) throw new Error("--consent must say in 10 to 300 characters how these people agreed.");
  return data;
}

const names: Record<string, string> = {
  newUnsubscribed: "new, unsubscribed",
  left: "unsubscribed",
  keptUnsubscribed: "still unsubscribed",
  undated: "without a readable date",
  newTags: "new tags",
  leftOutTags: "tags left out",
  newTopics: "new topics",
  leftOutTopics: "topics left out",
  newFields: "new fields",
  leftOutValues: "values left out",
  otherLanguage: "in a language that Postroom does not have",
  neverAgreed: "never agreed",
};
