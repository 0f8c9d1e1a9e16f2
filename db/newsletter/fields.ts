import { and, asc, eq, inArray, max, sql } from "drizzle-orm";
import * as audit from "../audit";
import { forKeyShare, lockUntilCommit } from "../engine/dialects";
import type { Db, Orm } from "../engine/open";
import { changeInCommits, rowsPerCommit } from "../lib/bulk";
import { fold } from "../lib/fold";
import { isFieldNamed } from "./segments/saved";
import { isOneOf, listOf } from "../lib/rows";
import { audienceCounts, type FieldOption, fieldValues, subscriberFields, sumOfCounts } from "../schema/audience";
import { type Field, type FieldValue, type StoredValue, valueOf } from "./field-values";

/* What a site keeps of its people beyond what everyone has. */

export const maxFields = 10;
export const maxOptions = 50;

/** Returns all fields in their order. */
export const allFields = (orm: Orm): Promise<Field[]> =>
  orm.select().from(subscriberFields).orderBy(asc(subscriberFields.position), asc(subscriberFields.row)).all();

/** Returns how many people have a value of each field, by its row. */
export async function countsOfFields(orm: Orm): Promise<Map<number, number>> {
  const { kind, ref } = audienceCounts;
  const counts = orm.select({ ref, count: sumOfCounts }).from(audienceCounts).where(eq(kind, "field")).groupBy(ref);
  return new Map((await counts.all()).map((each) => [each.ref, each.count]));
}

type FieldInput = { name: string; options: string[] };
type NewField = FieldInput & Pick<Field, "key" | "type">;
type Saved = { outcome: "saved"; id: string } | { outcome: "taken" | "full" | "gone" } | InUse;
/** An option that someone still has cannot be taken away. */
type InUse = { outcome: "in-use"; option: string };

const guarded = { guarded: true } as const;

/** Adds a field at the end. Its key and type never change. */
export const addField = (db: Db, { options, ...input }: NewField, by: audit.Actor, now: Date): Promise<Saved> =>
  db.write(async (orm) => {
    await lockUntilCommit(orm)(orm, "audienceFields");
    const all = await allFields(orm);
    if (all.length >= maxFields) return { outcome: "full" };
    if (all.some(({ key }) => key === input.key)) return { outcome: "taken" };
    const last = await orm
      .select({ position: max(subscriberFields.position) })
      .from(subscriberFields)
      .get();
    const numbered = numberedOptions(input.type, options, { options: null, lastOption: 0 });
    const values = { ...input, ...numbered, position: (last?.position ?? 0) + 1, createdAt: now };
    const { id } = await orm.insert(subscriberFields).values(values).returning({ id: subscriberFields.id }).get();
    await audit.record(orm, { ...by, action: "field.add", targetId: id, target: input.name }, now);
    return { outcome: "saved", id };
  }, guarded);

/** Gives new options numbers that no other has had; those whose name stays keep theirs. */
function numberedOptions(type: Field["type"], names: string[], former: Pick<Field, "options" | "lastOption">) {
  if (type !== "choice") return { options: null, lastOption: 0 };
  let last = former.lastOption;
  const options = names.map((name): FieldOption => {
    const same = former.options?.find((option) => fold(option.name) === fold(name));
    return { id: same?.id ?? ++last, name };
  });
  return { options, lastOption: last };
}

/** Changes the name of a field, and the options of a choice, unless someone has one that would be taken away. */
export const editField = (db: Db, { id, name, options }: FieldInput & { id: string }, by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<Saved> => {
    await lockUntilCommit(orm)(orm, "audienceFields");
    const field = await orm.select().from(subscriberFields).where(eq(subscriberFields.id, id)).get();
    if (!field) return { outcome: "gone" };
    const numbered = numberedOptions(field.type, options, field);
    const gone = field.options?.filter((option) => !numbered.options?.some((other) => other.id === option.id)) ?? [];
    const used = await firstUsed(orm, field, gone);
    if (used) return { outcome: "in-use", option: used.name };
    await orm
      .update(subscriberFields)
      .set({ name, ...numbered })
      .where(eq(subscriberFields.row, field.row))
      .run();
    await audit.record(orm, { ...by, action: "field.change", targetId: id, target: name }, now);
    return { outcome: "saved", id };
  }, guarded);

async function firstUsed(orm: Orm, { row }: Field, options: FieldOption[]): Promise<FieldOption | undefined> {
  if (!options.length) return undefined;
  const { fieldRow, number } = fieldValues;
  const ids = options.map((option) => option.id);
  const has = and(eq(fieldRow, row), inArray(number, ids));
  const value = await orm.select({ number }).from(fieldValues).where(has).limit(1).get();
  return value && options.find((option) => option.id === value.number);
}

/** Deletes a field with its values, a thousand in a commit. Returns undefined if it no longer exists. */
export async function deleteField(db: Db, id: string, by: audit.Actor, now: Date): Promise<Field | "used" | undefined> {
  const field = await db.read((orm) => orm.select().from(subscriberFields).where(eq(subscriberFields.id, id)).get());
  if (!field) return undefined;
  if (await db.read((orm) => isFieldNamed(orm, field.key))) return "used";
  const { fieldRow, subscriberRow } = fieldValues;
  await changeInCommits(db, async (orm) => {
    const isTheirs = eq(fieldRow, field.row);
    const some = orm.select({ subscriberRow }).from(fieldValues).where(isTheirs).limit(rowsPerCommit);
    return orm
      .delete(fieldValues)
      .where(and(isTheirs, inArray(subscriberRow, some)))
      .returning({ subscriberRow })
      .all();
  });
  return db.write(async (orm) => {
    const gone = await orm.delete(subscriberFields).where(eq(subscriberFields.row, field.row)).returning().get();
    if (gone) await audit.record(orm, { ...by, action: "field.delete", targetId: id, target: gone.name }, now);
    return gone;
  });
}

/** Values by the row of their field. */
type ValuesOfPerson = Map<number, StoredValue>;

/** Returns the values of these subscribers, by their rows. */
export async function valuesOf(orm: Orm, rows: number[]): Promise<Map<number, ValuesOfPerson>> {
  const byPerson = new Map<number, ValuesOfPerson>();
  if (!rows.length) return byPerson;
  const values = await orm
    .select()
    .from(fieldValues)
    .where(isOneOf(fieldValues.subscriberRow, listOf(rows)))
    .all();
  for (const { subscriberRow, fieldRow, text, number } of values) {
    const mine = byPerson.get(subscriberRow) ?? new Map<number, StoredValue>();
    byPerson.set(subscriberRow, mine.set(fieldRow, { text, number }));
  }
  return byPerson;
}

/** The fields of which an email uses the values, by their keys, and how it writes these. */
export type WantedValues = { keys: string[]; written: (type: Field["type"], value: FieldValue) => string };

/** Adds the values of the wanted fields to people, as an email writes them. */
export async function withValues<Person extends { row: number }>(
  orm: Orm,
  people: Person[],
  wanted: WantedValues | undefined,
): Promise<(Person & { own?: Record<string, string> })[]> {
  if (!wanted?.keys.length || !people.length) return people;
  const fields = (await allFields(orm)).filter(({ key }) => wanted.keys.includes(key));
  const values = await valuesOf(
    orm,
    people.map(({ row }) => row),
  );
  return people.map((person) => {
    const mine = values.get(person.row);
    const own = fields.flatMap((field): [string, string][] => {
      const stored = mine?.get(field.row);
      const value = stored && valueOf(field, stored);
      return value === undefined ? [] : [[field.key, wanted.written(field.type, value)]];
    });
    return own.length ? { ...person, own: Object.fromEntries(own) } : person;
  });
}

/** The values that a person gets; null takes one away. */
export type FieldChange = {
  person: { row: number; id: string };
  values: { field: Field; value: StoredValue | null }[];
};

/** Sets values. Returns what changed, by the row of the person: `fields: City, Orders`, without the values. */
export async function changeFields(orm: Orm, wanted: FieldChange[]): Promise<Map<number, string>> {
  const current = await valuesOf(
    orm,
    wanted.map(({ person }) => person.row),
  );
  const notes = new Map<number, string>();
  const last = new Map<string, { person: number; field: number; value: StoredValue | null }>(); // of each person's fields
  for (const { person, values } of wanted) {
    const mine = current.get(person.row) ?? new Map<number, StoredValue>();
    const changed = values.filter(({ field, value }) => !isSame(mine.get(field.row) ?? null, value));
    for (const { field, value } of changed) {
      last.set(`${person.row} ${field.row}`, { person: person.row, field: field.row, value });
      if (value) mine.set(field.row, value);
      else mine.delete(field.row);
    }
    current.set(person.row, mine);
    if (changed.length) notes.set(person.row, `fields: ${changed.map(({ field }) => field.name).join(", ")}`);
  }
  const alike = Map.groupBy(last.values(), ({ field, value }) => JSON.stringify([field, value]));
  for (const [one, ...others] of alike.values()) {
    if (!one) continue;
    const people = listOf([one, ...others].map(({ person }) => person));
    if (one.value) await set(orm, people, one.field, one.value);
    else await clear(orm, people, one.field);
  }
  return notes;
}

/** Gives someone what another person has in the fields. */
export async function copyFields(orm: Orm, from: { row: number }, person: FieldChange["person"]): Promise<void> {
  const [fields, values] = [await allFields(orm), (await valuesOf(orm, [from.row])).get(from.row)];
  const theirs = fields.flatMap((field) => {
    const value = values?.get(field.row);
    return value ? { field, value } : [];
  });
  if (theirs.length) await changeFields(orm, [{ person, values: theirs }]);
}

const isSame = (one: StoredValue | null, other: StoredValue | null) =>
  one?.text === other?.text && one?.number === other?.number;

type List = ReturnType<typeof listOf>;

/** Nothing is stored if the field or the person is gone. */
const set = async (orm: Orm, people: List, field: number, { text, number }: StoredValue): Promise<void> =>
  void (await orm.run(sql`
    insert into ${fieldValues} (subscriber_row, field_row, text, folded, number)
    select s."row", f."row", cast(${text} as text), cast(${text === null ? null : fold(text)} as text), ${number} from subscribers s, subscriber_fields f
    where ${forKeyShare(sql`${isOneOf(sql`s."row"`, people)} and f."row" = ${field}`)}
    on conflict (subscriber_row, field_row) do update set text = excluded.text, folded = excluded.folded, number = excluded.number`));

async function clear(orm: Orm, people: List, field: number): Promise<void> {
  const { subscriberRow, fieldRow } = fieldValues;
  await orm
    .delete(fieldValues)
    .where(and(isOneOf(subscriberRow, people), eq(fieldRow, field)))
    .run();
}
