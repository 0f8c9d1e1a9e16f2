import { and, asc, eq, exists, inArray, lt, notExists, sql } from "drizzle-orm";
import { lockUntilCommit } from "../engine/dialects";
import type { Db, Orm } from "../engine/open";
import { fold } from "../lib/fold";
import { countRows, Groups, isOneOf, listOf } from "../lib/rows";
import { audienceTags, subscribers, subscriberTags } from "../schema/newsletter";
import { sequences } from "../schema/sequences";

/* The site's own words for its subscribers. A tag exists as long as someone has it, or until its place is needed. */

/** How many tags a site may have, and a person. */
export const maxTags = 200;
export const maxTagsOfPerson = 50;

export type Tag = Pick<typeof audienceTags.$inferSelect, "row" | "name" | "folded">;
/** Tags by their names, as people write them. */
export type TagNames = { add: string[]; remove: string[] };

const { row, name, folded, usedAt } = audienceTags;
const columns = { row, name, folded };

const sequencesOf = (orm: Orm) =>
  orm
    .select({ one: sql`1` })
    .from(sequences)
    .where(eq(sequences.tagRow, row));

const pairsOfTag = (orm: Orm) =>
  orm
    .select({ one: sql`1` })
    .from(subscriberTags)
    .where(eq(subscriberTags.tagRow, row));

/** Returns the names of the tags that someone has, in order. */
export const listTags = (db: Db): Promise<string[]> =>
  db.read(async (orm) => {
    const used = orm
      .select(columns)
      .from(audienceTags)
      .where(exists(pairsOfTag(orm)));
    return (await used.orderBy(asc(folded)).all()).map((tag) => tag.name);
  });

/** Returns the tags with these names that exist. */
export async function tagsNamed(orm: Orm, names: string[]): Promise<Tag[]> {
  const keys = JSON.stringify(names.map(fold));
  const isNamed = sql`${folded} in (select value from json_each(${keys}))`;
  return names.length ? orm.select(columns).from(audienceTags).where(isNamed).all() : [];
}

const guarded = { guarded: true } as const;
const halfDayMs = 43_200_000;

/**
 * Returns the tags with these names, and makes those that do not exist yet, in a commit of its own: while people get
 * them, no one deletes them. Names beyond the most that a site may have are left out.
 */
export async function ensureTags(db: Db, names: string[], now: Date): Promise<Tag[]> {
  const byKey = new Map<string, string>();
  for (const each of names) if (fold(each) && !byKey.has(fold(each))) byKey.set(fold(each), each);
  if (!byKey.size) return [];
  return db.write(async (orm) => {
    await lockUntilCommit(orm)(orm, "audienceTags");
    const tags = await tagsNamed(orm, [...byKey.values()]);
    for (const tag of tags) byKey.delete(tag.folded);
    const isStale = and(rowsIn(tags), lt(usedAt, new Date(now.getTime() - halfDayMs)));
    await orm.update(audienceTags).set({ usedAt: now }).where(isStale).run();
    const free = byKey.size ? await freePlaces(orm, byKey.size, now) : 0;
    const made = [...byKey].slice(0, free).map(([key, each]) => ({ name: each, folded: key, usedAt: now }));
    return made.length ? [...tags, ...(await orm.insert(audienceTags).values(made).returning(columns).all())] : tags;
  }, guarded);
}

const rowsIn = (tags: Tag[]) =>
  inArray(
    row,
    tags.map((tag) => tag.row),
  );

/** Returns how many more tags fit. If these are too few, tags that no one has are deleted, unless used within a day. */
async function freePlaces(orm: Orm, wanted: number, now: Date): Promise<number> {
  const free = maxTags - (await countRows(orm, audienceTags, undefined));
  if (free >= wanted) return free;
  const isUnused = and(
    notExists(pairsOfTag(orm)),
    notExists(sequencesOf(orm)),
    lt(usedAt, new Date(now.getTime() - 2 * halfDayMs)),
  );
  await orm.delete(audienceTags).where(isUnused).run();
  return Math.max(0, maxTags - (await countRows(orm, audienceTags, undefined)));
}

/** Returns the tags of these subscribers, by their rows, in the order of the names. */
export async function tagsOf(orm: Orm, rows: number[]): Promise<Map<number, Tag[]>> {
  if (!rows.length) return new Map();
  const { tagRow, subscriberRow } = subscriberTags;
  const pairs = await orm
    .select({ ...columns, subscriberRow })
    .from(subscriberTags)
    .innerJoin(audienceTags, eq(row, tagRow))
    .where(isOneOf(subscriberRow, listOf(rows)))
    .orderBy(asc(folded))
    .all();
  const byPerson = new Map<number, Tag[]>();
  for (const { subscriberRow: person, ...tag } of pairs) byPerson.set(person, [...(byPerson.get(person) ?? []), tag]);
  return byPerson;
}

/** Whose tags change, and how. */
type TagChange = { person: { row: number; id: string }; add: Tag[]; remove: Tag[] };

/**
 * `notes`: what changed, by the row of the person, such as `+VIP −Press`. `given`: the rows of those who got a tag, by
 * its row.
 */
type TagsChanged = { notes: Map<number, string>; given: Map<number, number[]> };

/** Changes the tags of people, who get at most so many. */
export async function changeTags(orm: Orm, wanted: TagChange[]): Promise<TagsChanged> {
  const current = await tagsOf(
    orm,
    wanted.map(({ person }) => person.row),
  );
  const [given, taken] = [new Groups<number, number>(), new Groups<number, number>()];
  const notes = new Map<number, string>();
  for (const { person, add, remove } of wanted) {
    const { added, removed } = differenceOf(current.get(person.row) ?? [], { add, remove });
    if (!added.length && !removed.length) continue;
    const rest = (current.get(person.row) ?? []).filter((tag) => !removed.includes(tag));
    current.set(person.row, [...rest, ...added]); // someone may be in the list several times
    for (const tag of added) given.add(tag.row, person.row);
    for (const tag of removed) taken.add(tag.row, person.row);
    notes.set(person.row, noteOf(added, removed));
  }
  for (const [tag, rows] of taken.all) await take(orm, tag, rows);
  for (const [tag, rows] of given.all) await give(orm, tag, rows);
  return { notes, given: given.all };
}

function differenceOf(current: Tag[], { add, remove }: Pick<TagChange, "add" | "remove">) {
  const wanted = new Map(add.map((tag) => [tag.row, tag]));
  const unwanted = new Set(remove.map((tag) => tag.row).filter((tag) => !wanted.has(tag)));
  const removed = current.filter((tag) => unwanted.has(tag.row));
  for (const tag of current) wanted.delete(tag.row);
  const free = Math.max(0, maxTagsOfPerson - (current.length - removed.length));
  return { added: [...wanted.values()].slice(0, free), removed };
}

const maxNote = 300;

/** `+Press +VIP −Blog`, as it is kept in the history. */
function noteOf(added: Tag[], removed: Tag[]): string {
  const inOrder = added.toSorted((a, b) => (a.folded < b.folded ? -1 : 1));
  const note = [...inOrder.map((tag) => `+${tag.name}`), ...removed.map((tag) => `−${tag.name}`)].join(" ");
  return note.length > maxNote ? `${note.slice(0, maxNote - 1)}…` : note;
}

const give = async (orm: Orm, tag: number, rows: number[]): Promise<void> =>
  void (await orm.run(sql`
    insert into ${subscriberTags} (tag_row, subscriber_row)
    select ${row}, ${subscribers.row} from ${audienceTags}, ${subscribers}
    where ${row} = ${tag} and ${isOneOf(subscribers.row, listOf(rows))}
    on conflict do nothing`));

const take = async (orm: Orm, tag: number, rows: number[]): Promise<void> =>
  void (await orm
    .delete(subscriberTags)
    .where(and(eq(subscriberTags.tagRow, tag), isOneOf(subscriberTags.subscriberRow, listOf(rows))))
    .run());
