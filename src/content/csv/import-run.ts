import type { Db } from "../../../db/engine/open";
import { importAll, type ImportOptions, type Outcome, peopleHere } from "../../../db/newsletter/import";
import { ImportLabels } from "./labels";
import type { ImportPlan, PersonRow, ReadRow } from "./subscriber-row";

const batchSize = 1_000; // rows per commit, so that a running server gets its turn in between
const maxReported = 100; // problems described; further ones are only counted
const maxNamed = 20; // new tags and topics that are named

export type ImportTerms = ImportOptions & {
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
export type RowResult = { line: number; email: string; result: Outcome | "refused"; note: string };
type NumberedRow = { at: number } & ReadRow;

/** Brings the rows of a file in, a thousand in a commit, and counts what became of them. */
export class ImportRun {
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

function noteOf({ person, isUndated, hasOtherLanguage, leftOutTags, leftOutTopics }: PersonRow): string {
  const leftOut = leftOutTags + leftOutTopics;
  return [
    person.state === "unsubscribed" && "unsubscribed in the file",
    isUndated && "the date cannot be read",
    hasOtherLanguage && "the language is not one of Postroom’s",
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
