import { forUpdate } from "../engine/dialects";
import type { Orm } from "../engine/open";
import { type Origin, recordEvents, type ReportedOrigin } from "../events/subscriber-events";
import { Groups, isOneOf, listOf } from "../lib/rows";
import { foldAll } from "../lib/fold";
import { subscribers } from "../schema/newsletter";
import { type DetailName, detailNames, type Details, detailsOf, detailWords } from "./details";
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
  /** Null is none; of the language and the time zone, the site's. */
  details?: Details | undefined;
};

/**
 * `changed`: the rows of those for whom something did. `ignored`: topics that they had left themselves. `causes`: what
 * this may begin, for `enterSequences`; changes of many people begin it only if asked to.
 */
type PeopleChanged = { changed: Set<number>; ignored: Map<number, Topic[]>; causes: Cause[] };

/**
 * Changes what is known of people, and records one `changed` event for each of whom something did, such as
 * `+VIP −Press`, `topics: +Recipes`, `name` and `language: es`, a line each. Who moves to another time zone gets what waits for
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
  const detailNotes = await setDetails(orm, wanted, now);
  const notes = new Map<number, { id: string; note: string }>();
  for (const { person } of wanted) {
    const parts = [tagNotes, topicNotes, fieldNotes, detailNotes].map((each) => each.get(person.row));
    const note = parts.filter((part) => part).join("\n");
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

/**
 * Sets the details of those who have others, and what follows: names are found by their folded text, and who moves to
 * another time zone takes along what waits for them. Returns a line for each detail that changed.
 */
async function setDetails(orm: Orm, wanted: PersonChange[], now: Date): Promise<Map<number, string>> {
  const given = new Map<number, Details>();
  for (const { person, details = {} } of wanted)
    for (const name of detailNames)
      if (details[name] !== undefined)
        given.set(person.row, { ...given.get(person.row), [name]: details[name] || null });
  if (!given.size) return new Map();
  const isGiven = isOneOf(subscribers.row, listOf([...given.keys()]));
  const before = await orm.select().from(subscribers).where(isGiven).orderBy(forUpdate(subscribers.row)).all();
  const changes = before.flatMap((person) => {
    const [old, details] = [detailsOf(person), given.get(person.row) ?? {}];
    const names = detailNames.filter((name) => details[name] !== undefined && details[name] !== old[name]);
    const set: Details = Object.fromEntries(names.map((name) => [name, details[name]]));
    const folded = names.includes("name") ? { folded: foldAll(person.email, person.emailKey, set.name) } : {};
    return names.length ? [{ row: person.row, names, from: old.timeZone, set, values: { ...set, ...folded } }] : [];
  });
  for (const [, people] of Map.groupBy(changes, ({ values }) => JSON.stringify(values))) {
    const theirs = isOneOf(subscribers.row, listOf(people.map(({ row }) => row)));
    await orm
      .update(subscribers)
      .set(people[0]?.values ?? {})
      .where(theirs)
      .run();
  }
  const moved = changes.filter(({ names }) => names.includes("timeZone"));
  await moveToZones(
    orm,
    moved.map(({ row, from, set }) => ({ row, from, to: set.timeZone ?? null })),
    now,
  );
  return new Map(changes.map(({ row, names, set }) => [row, names.map((name) => lineOf(name, set[name])).join("\n")]));
}

/** What people are called, and all that means nothing to Postroom, stays out of the history: it says that it changed. */
const lineOf = (name: DetailName, value: string | null | undefined) =>
  name === "language" || name === "timeZone" ? `${detailWords(name)}: ${value ?? "none"}` : detailWords(name);

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
