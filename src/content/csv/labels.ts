import type { Actor } from "../../../db/audit";
import type { Db } from "../../../db/engine/open";
import { fold } from "../../../db/lib/fold";
import { slugOf } from "../../../db/lib/text";
import type { ImportedSubscriber } from "../../../db/newsletter/import";
import { addField, allFields, type FieldChange, maxFields } from "../../../db/newsletter/fields";
import { type Field, maxFieldText, type StoredValue, storedValue } from "../../../db/newsletter/field-values";
import { listTags, maxTags } from "../../../db/newsletter/tags";
import { addTopic, allTopics, maxTopics, type Topic } from "../../../db/newsletter/topics";
import { line } from "../../platform/text/schemas";
import { unreadable } from "./encoding";
import { answerIn } from "./status-words";
import { fieldName, isNewField, type SiteLabels } from "./subscriber-columns";
import type { ImportPlan, PersonRow, RowLabels } from "./subscriber-row";

/** Returns the topics and fields that a site has. */
export const labelsOfSite = (db: Db): Promise<SiteLabels> =>
  db.read(async (orm) => ({ fields: await allFields(orm), topics: await allTopics(orm) }));

/** A field that an import makes: as one of the site, but without a row until it is made. */
type Column = { field: Field; isNew: boolean };

/** Names that a site does not have yet, and how many more it can. */
class NewNames {
  private readonly byKey = new Map<string, string>();

  constructor(private readonly free: number) {}

  add(name: string): void {
    if (this.byKey.size < maxNames && !this.byKey.has(fold(name))) this.byKey.set(fold(name), name);
  }

  get made(): string[] {
    return [...this.byKey.values()].slice(0, Math.max(0, this.free));
  }

  get leftOut(): number {
    return this.byKey.size - this.made.length;
  }
}

const maxNames = 10_000; // different ones that are counted

/** What the tags, topics and fields of a file become, and which of them the site does not have yet. */
export class ImportLabels {
  private readonly topics: Topic[];
  private readonly columns: Map<number, Column>;
  private readonly newTags: NewNames;
  private readonly newTopics: NewNames;
  private readonly newFields = new Map<number, string>();
  private leftOutTags = 0;
  private leftOutTopics = 0;
  private leftOutValues = 0;

  private constructor(
    private readonly tags: ReadonlySet<string>,
    private readonly site: SiteLabels,
    plan: ImportPlan,
    private readonly mayDefine: boolean,
  ) {
    this.topics = [...site.topics];
    this.columns = fieldColumns(plan, site.fields, mayDefine);
    this.newTags = new NewNames(maxTags - tags.size);
    this.newTopics = new NewNames(mayDefine ? maxTopics - site.topics.length : 0);
  }

  /** @param mayDefine whether topics and fields are made that the site does not have */
  static async of(db: Db, plan: ImportPlan, mayDefine: boolean): Promise<ImportLabels> {
    return new ImportLabels(new Set((await listTags(db)).map(fold)), await labelsOfSite(db), plan, mayDefine);
  }

  /** Makes the topics and fields that these rows name and the site lacks, as far as there is space. */
  async define(db: Db, rows: RowLabels[], by: Actor, now: Date): Promise<void> {
    if (!this.mayDefine) return;
    for (const name of rows.flatMap(({ topics, topicsLeft }) => [...topics, ...topicsLeft]))
      if (!this.topicCalled(name) && this.topics.length < maxTopics) {
        await addTopic(db, { name, sentence: "", isDefault: false }, by, now);
        this.topics.splice(0, this.topics.length, ...(await labelsOfSite(db)).topics);
      }
    const filled = new Set(rows.flatMap(({ cells }) => cells.map(({ column }) => column)));
    for (const [at, column] of this.columns)
      if (column.isNew && filled.has(at)) this.columns.set(at, await made(db, column, by, now));
  }

  /** The labels as they are stored. Values that do not fit their field are left out. */
  stored({ topics, topicsLeft, cells }: RowLabels): Pick<ImportedSubscriber, "topics" | "fields"> {
    const called = (names: string[]) => names.flatMap((name) => this.topicCalled(name) ?? []);
    const fields = cells.flatMap(({ column, text }): FieldChange["values"] => {
      const field = this.columns.get(column)?.field;
      const value = field && valueIn(field, text);
      return value && field.row ? [{ field, value }] : [];
    });
    return { topics: { chosen: called(topics), left: called(topicsLeft) }, fields };
  }

  /** Counts what is in the file at all, whoever gets it. */
  see({ leftOutTags, leftOutTopics, labels }: PersonRow): void {
    this.leftOutTags += leftOutTags;
    this.leftOutTopics += leftOutTopics;
    for (const { column, text } of labels.cells) {
      const field = this.columns.get(column)?.field;
      if (!field || !valueIn(field, text)) this.leftOutValues++;
    }
  }

  /** Counts what somebody gets. */
  count({ person: { tags = [] }, labels: { topics, topicsLeft, cells } }: PersonRow): void {
    for (const name of tags) if (!this.tags.has(fold(name))) this.newTags.add(name);
    for (const name of [...topics, ...topicsLeft]) if (!topicCalled(this.site.topics, name)) this.newTopics.add(name);
    for (const { column, text } of cells) {
      const { field, isNew = false } = this.columns.get(column) ?? {};
      if (field && isNew && valueIn(field, text)) this.newFields.set(column, field.name);
    }
  }

  get counts() {
    return {
      newTags: this.newTags.made.length,
      leftOutTags: this.leftOutTags + this.newTags.leftOut,
      newTopics: this.newTopics.made.length,
      leftOutTopics: this.leftOutTopics + this.newTopics.leftOut,
      newFields: this.newFields.size,
      leftOutValues: this.leftOutValues,
    };
  }

  /** The names of what is new. */
  get names() {
    return { tags: this.newTags.made, topics: this.newTopics.made, fields: [...this.newFields.values()] };
  }

  private topicCalled = (name: string) => topicCalled(this.topics, name);
}

const topicCalled = (topics: Topic[], name: string): Topic | undefined =>
  topics.find(({ folded }) => folded === fold(name)) ?? topics.find(({ slug }) => slug === name);

/** The fields that columns become. New ones beyond the most that a site may have are left out. */
function fieldColumns({ columns, header, json }: ImportPlan, own: Field[], mayDefine: boolean): Map<number, Column> {
  const all = [...own];
  const fields = new Map<number, Column>();
  for (const [at, target] of columns.entries()) {
    const [kind, text = ""] = target.split(":");
    const field = kind === "field" ? own.find(({ key }) => key === text) : undefined;
    if (field) fields.set(at, { field, isNew: false });
    if (!isNewField(target) || !mayDefine || all.length >= maxFields) continue;
    const inJson = json[at - (header.length - json.length)];
    const added = newField(inJson?.path ?? header[at] ?? "", text, all);
    all.push(added);
    fields.set(at, { field: added, isNew: true });
  }
  return fields;
}

const maxKey = 30;

function newField(header: string, type: string, others: Field[]): Field {
  const called = line({ min: 1, max: 60 }).safeParse([...fieldName(header)].slice(0, 60).join(""));
  const letters = slugOf(fieldName(header))
    .replaceAll("-", "_")
    .replaceAll(/[^a-z0-9_]/g, "");
  const stem = (/^[a-z]/.test(letters) ? letters : `field_${letters}`).slice(0, maxKey - 3).replace(/_$/, "");
  let key = stem;
  for (let n = 2; others.some((other) => other.key === key); n++) key = `${stem}_${n}`;
  const isType = (one: Field["type"]) => one === type;
  return {
    row: 0,
    id: "",
    key,
    name: called.data?.includes(unreadable) ? key : (called.data ?? key),
    type: (["number", "date", "boolean"] as const).find(isType) ?? "text",
    options: null,
    lastOption: 0,
    position: 0,
    createdAt: new Date(0),
  };
}

/** Returns the field with its row; if it cannot be made any more, one without, which gets no values. */
async function made(db: Db, { field }: Column, by: Actor, now: Date): Promise<Column> {
  const { key, name, type } = field;
  const saved = await addField(db, { key, name, type, options: [] }, by, now);
  const stored = saved.outcome === "saved" && (await db.read(allFields)).find(({ id }) => id === saved.id);
  return { field: stored || field, isNew: true };
}

const text = line({ min: 1, max: maxFieldText });

/** A cell as a value of the field; undefined if it is none. */
function valueIn(field: Field, cell: string): StoredValue | undefined {
  const clean = cell.includes(unreadable) ? undefined : text.safeParse(cell).data;
  if (clean === undefined) return undefined;
  if (field.type === "number")
    return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(clean) ? storedValue(field, Number(clean)) : undefined;
  if (field.type === "boolean") return storedValue(field, answerIn(clean));
  const isMoment = field.type === "date" && /^\d{4}-\d\d-\d\d[T ]/.test(clean);
  return storedValue(field, isMoment ? clean.slice(0, 10) : clean);
}
