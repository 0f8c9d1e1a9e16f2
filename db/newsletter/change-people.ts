import { sql } from "drizzle-orm";
import { forUpdate } from "../engine/dialects";
import type { Orm } from "../engine/open";
import { type Origin, recordEvents, type ReportedOrigin } from "../events/subscriber-events";
import { Groups, isOneOf, listOf } from "../lib/rows";
import { subscribers } from "../schema/newsletter";
import { changeFields, type FieldChange } from "./fields";
import { type Cause, moveToZones } from "./sequence-entry";
import { changeTags, type Tag } from "./tags";
import { changeTopics, type Topic } from "./topics";

/** What changes about someone; what is absent stays. */
export type PersonChange = {
  person: { row: number; id: string };
  tags?: { add: Tag[]; remove: Tag[] };
  topics?: { add: Topic[]; remove: Topic[]; left?: Topic[] | undefined };
  fields?: FieldChange["values"];
  /** Null is the site's, as it is of the next. */
  language?: string | null | undefined;
  timeZone?: string | null | undefined;
  /** What the caller has changed in the row itself, such as `name`. */
  also?: string | undefined;
};

/**
 * `changed`: the rows of those for whom something did. `ignored`: topics that they had left themselves. `causes`: what
 * this may begin, for `enterSequences`; changes of many people begin it only if asked to.
 */
type PeopleChanged = { changed: Set<number>; ignored: Map<number, Topic[]>; causes: Cause[] };

/**
 * Changes what is known of people, and records one `changed` event for each of whom something did, such as
 * `+VIP −Press`, `topics: +Recipes` and `language: es`, a line each. Who moves to another time zone gets what waits for
 * them in sequences at the same hour there.
 *
 * @param origin recorded in their history; undefined for people who are added at the same moment
 */
export async function changePeople(
  orm: Orm,
  wanted: PersonChange[],
  origin: ReportedOrigin | undefined,
  now: Date,
): Promise<PeopleChanged> {
  const byThem = origin !== undefined && theirWays.has(origin.via);
  const { notes: tagNotes, given: tags } = await changeTags(
    orm,
    wanted.flatMap(({ person, tags }) => (isAny(tags) ? { person, ...tags } : [])),
  );
  const {
    notes: topicNotes,
    ignored,
    given: topics,
  } = await changeTopics(
    orm,
    wanted.flatMap(({ person, topics }) => (isAny(topics) ? { person, ...topics } : [])),
    byThem,
  );
  const fieldNotes = await changeFields(
    orm,
    wanted.flatMap(({ person, fields }) => (fields?.length ? { person, values: fields } : [])),
  );
  const languageNotes = await setLanguages(orm, wanted);
  const zoneNotes = await setTimeZones(orm, wanted, now);
  const notes = new Map<number, { id: string; note: string }>();
  for (const { person, also } of wanted) {
    const parts = [tagNotes, topicNotes, fieldNotes, languageNotes, zoneNotes].map((each) => each.get(person.row));
    const note = [...parts, also].filter((part) => part).join("\n");
    if (note) notes.set(person.row, { id: person.id, note });
  }
  if (origin) await recordChanges(orm, notes, origin, now);
  return { changed: new Set(notes.keys()), ignored, causes: [...causesOf("tag", tags), ...causesOf("topic", topics)] };
}

const causesOf = (trigger: "tag" | "topic", given: Map<number, number[]>): Cause[] =>
  [...given].map(([of, rows]) => ({ trigger, of, rows }));

/** Ways in which people choose themselves. */
const theirWays: ReadonlySet<Origin["via"]> = new Set(["preferences", "form", "link", "one-click", "page"]);

const isAny = <Part extends { add: unknown[]; remove: unknown[]; left?: unknown[] | undefined }>(
  part: Part | undefined,
): part is Part => part !== undefined && part.add.length + part.remove.length + (part.left ?? []).length > 0;

/** Sets the language of those who have another one. Returns `language: es` for each. */
async function setLanguages(orm: Orm, wanted: PersonChange[]): Promise<Map<number, string>> {
  const rowsByLanguage = new Groups<string | null, number>();
  for (const { person, language } of wanted)
    if (language !== undefined) rowsByLanguage.add(language || null, person.row);
  const notes = new Map<number, string>();
  for (const [language, rows] of rowsByLanguage.all) {
    const isOther = sql`${isOneOf(subscribers.row, listOf(rows))} and ${subscribers.language} is distinct from ${language}`;
    const changed = orm.update(subscribers).set({ language }).where(isOther).returning({ row: subscribers.row });
    for (const { row } of await changed.all()) notes.set(row, `language: ${language ?? "none"}`);
  }
  return notes;
}

/** Sets the time zone of those who have another one. Returns `time zone: Europe/Madrid` for each. */
async function setTimeZones(orm: Orm, wanted: PersonChange[], now: Date): Promise<Map<number, string>> {
  const zones = new Map(
    wanted.flatMap(({ person, timeZone }) => (timeZone === undefined ? [] : [[person.row, timeZone]])),
  );
  if (!zones.size) return new Map();
  const isNamed = isOneOf(subscribers.row, listOf([...zones.keys()]));
  const { row, timeZone } = subscribers;
  const before = await orm.select({ row, timeZone }).from(subscribers).where(isNamed).orderBy(forUpdate(row)).all();
  const moved = before.flatMap((person) => {
    const to = zones.get(person.row) || null;
    return to === person.timeZone ? [] : [{ row: person.row, from: person.timeZone, to }];
  });
  for (const [zone, people] of Map.groupBy(moved, ({ to }) => to)) {
    const theirs = isOneOf(row, listOf(people.map((person) => person.row)));
    await orm.update(subscribers).set({ timeZone: zone }).where(theirs).run();
  }
  await moveToZones(orm, moved, now);
  return new Map(moved.map(({ row, to }) => [row, `time zone: ${to ?? "none"}`]));
}

async function recordChanges(
  orm: Orm,
  notes: Map<number, { id: string; note: string }>,
  origin: ReportedOrigin,
  now: Date,
): Promise<void> {
  if (!notes.size) return;
  await orm
    .update(subscribers)
    .set({ updatedAt: now })
    .where(isOneOf(subscribers.row, listOf([...notes.keys()])))
    .run();
  const idsByNote = new Groups<string, string>();
  for (const { id, note } of notes.values()) idsByNote.add(note, id);
  for (const [note, ids] of idsByNote.all) await recordEvents(orm, { ids, kind: "changed" }, { ...origin, note }, now);
}
