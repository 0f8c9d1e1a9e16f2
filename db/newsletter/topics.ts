import { and, asc, eq, isNull, max, sql } from "drizzle-orm";
import * as audit from "../audit";
import { type Db, type Orm, prepared } from "../engine/open";
import { lockUntilCommit } from "../engine/dialects";
import { fold } from "../lib/fold";
import { countRows, Groups, isOneOf, listOf } from "../lib/rows";
import { shortSlugOf } from "../lib/text";
import { audienceCounts, subscriberTopics, sumOfCounts, topics } from "../schema/audience";
import { broadcasts } from "../schema/broadcasts";
import { postRules } from "../schema/mailings";
import { subscribers } from "../schema/newsletter";
import { sequences } from "../schema/sequences";

/* What people may choose to read about. */

/** How many topics a site may have, archived ones included. */
export const maxTopics = 20;

export type Topic = typeof topics.$inferSelect;

const inOrder = [asc(topics.position), asc(topics.row)] as const;

const everyTopic = prepared((orm) =>
  orm
    .select()
    .from(topics)
    .orderBy(...inOrder)
    .prepare(),
);
/** Asked for each new subscriber: building it would take longer than all the rest. */
const offered = prepared((orm) =>
  orm
    .select()
    .from(topics)
    .where(isNull(topics.archivedAt))
    .orderBy(...inOrder)
    .prepare(),
);

/** Returns all topics in their order, archived ones too. */
export const allTopics = (orm: Orm): Promise<Topic[]> => everyTopic(orm).all();

/** Returns the topics that people are offered. */
export const openTopics = (orm: Orm): Promise<Topic[]> => offered(orm).all();

/** Returns the topic with this row. */
export const topicWithRow = (orm: Orm, row: number): Promise<Topic | undefined> =>
  orm.select().from(topics).where(eq(topics.row, row)).get();

/** Returns the topics that are offered and have one of these slugs. */
export async function topicsNamed(orm: Orm, slugs: string[]): Promise<Topic[]> {
  if (!slugs.length) return [];
  return (await openTopics(orm)).filter(({ slug }) => slugs.includes(slug));
}

/** Returns the topics of who subscribes without naming any. */
export const defaultTopics = async (orm: Orm): Promise<Topic[]> =>
  (await openTopics(orm)).filter(({ isDefault }) => isDefault);

/** Returns how many people have chosen each topic, by its row. */
export async function countsOfTopics(orm: Orm): Promise<Map<number, number>> {
  const { kind, ref } = audienceCounts;
  const counts = orm.select({ ref, count: sumOfCounts }).from(audienceCounts).where(eq(kind, "topic")).groupBy(ref);
  return new Map((await counts.all()).map((each) => [each.ref, each.count]));
}

type TopicInput = { name: string; sentence: string; isDefault: boolean };
type Saved = { outcome: "saved"; id: string } | { outcome: "taken" | "full" | "gone" };

const guarded = { guarded: true } as const;
const maxSlug = 60;

/** Adds a topic at the end. Two names that are equal when folded are taken, and so are their slugs. */
export const addTopic = (db: Db, input: TopicInput, by: audit.Actor, now: Date): Promise<Saved> =>
  db.write(async (orm) => {
    await lockUntilCommit(orm)(orm, "audienceTopics");
    const slug = shortSlugOf(input.name, maxSlug) || "topic";
    const all = await allTopics(orm);
    if (all.length >= maxTopics) return { outcome: "full" };
    if (all.some((topic) => topic.folded === fold(input.name) || topic.slug === slug)) return { outcome: "taken" };
    const last = await orm
      .select({ position: max(topics.position) })
      .from(topics)
      .get();
    const values = { ...input, slug, folded: fold(input.name), position: (last?.position ?? 0) + 1, createdAt: now };
    const { id } = await orm.insert(topics).values(values).returning({ id: topics.id }).get();
    await audit.record(orm, { ...by, action: "topic.add", targetId: id, target: input.name }, now);
    return { outcome: "saved", id };
  }, guarded);

/** Changes what people read about a topic. Its slug stays, because links and programs use it. */
export const editTopic = (
  db: Db,
  { id, ...input }: TopicInput & { id: string },
  by: audit.Actor,
  now: Date,
): Promise<Saved> =>
  db.write(async (orm) => {
    await lockUntilCommit(orm)(orm, "audienceTopics");
    const folded = fold(input.name);
    const all = await allTopics(orm);
    if (all.some((topic) => topic.folded === folded && topic.id !== id)) return { outcome: "taken" };
    const changed = await orm
      .update(topics)
      .set({ ...input, folded })
      .where(eq(topics.id, id))
      .returning({ id: topics.id })
      .get();
    if (!changed) return { outcome: "gone" };
    await audit.record(orm, { ...by, action: "topic.change", targetId: id, target: input.name }, now);
    return { outcome: "saved", id };
  }, guarded);

/** Offers a topic no longer, or again. Who has chosen it keeps it. */
export const archiveTopic = (
  db: Db,
  { id, isArchived }: { id: string; isArchived: boolean },
  by: audit.Actor,
  now: Date,
) =>
  db.write(async (orm): Promise<Topic | undefined> => {
    const isOther = isArchived ? isNull(topics.archivedAt) : sql`${topics.archivedAt} is not null`;
    const archivedAt = isArchived ? now : null;
    const topic = await orm
      .update(topics)
      .set({ archivedAt })
      .where(and(eq(topics.id, id), isOther))
      .returning()
      .get();
    const action = isArchived ? "topic.archive" : "topic.restore";
    if (topic) await audit.record(orm, { ...by, action, targetId: id, target: topic.name }, now);
    return topic;
  });

/** Deletes a topic that nobody has ever chosen, and that no broadcast, sequence or rule is about. Others are archived. */
export const deleteTopic = (db: Db, id: string, by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<"deleted" | "used" | "gone"> => {
    const topic = await orm.select().from(topics).where(eq(topics.id, id)).get();
    if (!topic) return "gone";
    const { topicRow } = subscriberTopics;
    const pair = await orm.select({ topicRow }).from(subscriberTopics).where(eq(topicRow, topic.row)).limit(1).get();
    const sent = await countRows(orm, broadcasts, eq(broadcasts.topicRow, topic.row));
    const begun = await countRows(orm, sequences, eq(sequences.topicRow, topic.row));
    const ruled = await countRows(orm, postRules, eq(postRules.topicRow, topic.row));
    if (pair || sent || begun || ruled) return "used";
    await orm.delete(topics).where(eq(topics.row, topic.row)).run();
    await audit.record(orm, { ...by, action: "topic.delete", targetId: id, target: topic.name }, now);
    return "deleted";
  });

/** Moves a topic one place up or down. */
export const moveTopic = (db: Db, id: string, by: -1 | 1) =>
  db.write(async (orm): Promise<Topic | undefined> => {
    await lockUntilCommit(orm)(orm, "audienceTopics");
    const all = await allTopics(orm);
    const from = all.findIndex((topic) => topic.id === id);
    const topic = all[from];
    const [moved, other] = [topic, all[from + by]];
    if (!moved || !other) return topic;
    all[from] = other;
    all[from + by] = moved;
    for (const [at, { row }] of all.entries())
      await orm
        .update(topics)
        .set({ position: at + 1 })
        .where(eq(topics.row, row))
        .run();
    return topic;
  }, guarded);

/** A topic of a person: chosen, or left by them. */
type TopicOfPerson = { topic: Topic; chosen: boolean };

/** Returns the topics of these subscribers, by their rows, in order, with those that they left. */
export async function topicsOf(orm: Orm, rows: number[]): Promise<Map<number, TopicOfPerson[]>> {
  const byPerson = new Map<number, TopicOfPerson[]>();
  if (!rows.length) return byPerson;
  const { topicRow, subscriberRow, chosen } = subscriberTopics;
  const pairs = await orm
    .select({ topicRow, subscriberRow, chosen })
    .from(subscriberTopics)
    .where(isOneOf(subscriberRow, listOf(rows)))
    .all();
  if (!pairs.length) return byPerson;
  const all = await allTopics(orm);
  const rank = new Map(all.map((topic, at) => [topic.row, { topic, at }]));
  const sorted = pairs.toSorted((a, b) => (rank.get(a.topicRow)?.at ?? 0) - (rank.get(b.topicRow)?.at ?? 0));
  for (const { topicRow: row, subscriberRow: person, chosen: isChosen } of sorted) {
    const topic = rank.get(row)?.topic;
    if (topic) byPerson.set(person, [...(byPerson.get(person) ?? []), { topic, chosen: isChosen }]);
  }
  return byPerson;
}

/** The same of one subscriber. */
export const topicsOfOne = async (orm: Orm, row: number): Promise<TopicOfPerson[]> =>
  (await topicsOf(orm, [row])).get(row) ?? [];

/** Which topics a person gets or no longer has. `left`: those that the person left elsewhere, as a file says. */
type TopicChange = { person: { row: number; id: string }; add: Topic[]; remove: Topic[]; left?: Topic[] | undefined };
/**
 * `ignored`: topics that they had left, by the row of the person. `given`: the rows of those who got a topic, by its row.
 */
type TopicsChanged = { notes: Map<number, string>; ignored: Map<number, Topic[]>; given: Map<number, number[]> };

/**
 * Changes the topics of people. What they leave themselves is kept as left, and only they may put it back; what others
 * take from them is not.
 *
 * @param byThem whether the people themselves choose
 */
export async function changeTopics(orm: Orm, wanted: TopicChange[], byThem: boolean): Promise<TopicsChanged> {
  const current = await topicsOf(
    orm,
    wanted.map(({ person }) => person.row),
  );
  const [given, taken, left] = [
    new Groups<number, number>(),
    new Groups<number, number>(),
    new Groups<number, number>(),
  ];
  const changed: TopicsChanged = { notes: new Map(), ignored: new Map(), given: given.all };
  for (const { person, add, remove, left: leaving = [] } of wanted) {
    const mine = new Map((current.get(person.row) ?? []).map((each) => [each.topic.row, each]));
    const lost = leaving.filter((topic) => mine.get(topic.row)?.chosen);
    for (const topic of leaving.filter((one) => mine.get(one.row)?.chosen !== false)) {
      left.add(topic.row, person.row);
      mine.set(topic.row, { topic, chosen: false });
    }
    current.set(person.row, [...mine.values()]); // someone may be in the list several times
    const ignored = byThem ? [] : add.filter((topic) => mine.get(topic.row)?.chosen === false);
    const added = add.filter((topic) => !ignored.includes(topic) && !mine.get(topic.row)?.chosen);
    const removed = remove.filter((topic) => !add.includes(topic) && mine.get(topic.row)?.chosen);
    if (ignored.length) changed.ignored.set(person.row, ignored);
    if (!added.length && !removed.length && !lost.length) continue;
    for (const topic of added) {
      given.add(topic.row, person.row);
      mine.set(topic.row, { topic, chosen: true });
    }
    for (const topic of removed) {
      taken.add(topic.row, person.row);
      if (byThem) mine.set(topic.row, { topic, chosen: false });
      else mine.delete(topic.row);
    }
    current.set(person.row, [...mine.values()]);
    changed.notes.set(person.row, noteOf(added, [...removed, ...lost]));
  }
  for (const [topic, rows] of taken.all) await take(orm, topic, rows, byThem);
  for (const [topic, rows] of given.all) await give(orm, topic, rows, true);
  for (const [topic, rows] of left.all) await give(orm, topic, rows, false);
  return changed;
}

/** Gives someone the topics of another person, archived ones too. What that one left stays left. */
export async function copyTopics(orm: Orm, from: TopicChange["person"], person: TopicChange["person"]): Promise<void> {
  const theirs = await topicsOfOne(orm, from.row);
  const named = (isChosen: boolean) => theirs.flatMap(({ topic, chosen }) => (chosen === isChosen ? topic : []));
  await changeTopics(orm, [{ person, add: named(true), remove: [], left: named(false) }], true);
}

/** `topics: +Recipes −News`, as it is kept in the history. */
const noteOf = (added: Topic[], removed: Topic[]) =>
  `topics: ${[...added.map(({ name }) => `+${name}`), ...removed.map(({ name }) => `−${name}`)].join(" ")}`;

const give = async (orm: Orm, topic: number, rows: number[], chosen: boolean): Promise<void> =>
  void (await orm.run(sql`
    insert into ${subscriberTopics} (topic_row, subscriber_row, chosen)
    select ${topics.row}, ${subscribers.row}, ${sql.raw(chosen ? "1" : "0")} from ${topics}, ${subscribers}
    where ${topics.row} = ${topic} and ${isOneOf(subscribers.row, listOf(rows))}
    on conflict (topic_row, subscriber_row) do update set chosen = excluded.chosen`));

async function take(orm: Orm, topic: number, rows: number[], isLeft: boolean): Promise<void> {
  const { topicRow, subscriberRow } = subscriberTopics;
  const theirs = and(eq(topicRow, topic), isOneOf(subscriberRow, listOf(rows)));
  if (isLeft) await orm.update(subscriberTopics).set({ chosen: false }).where(theirs).run();
  else await orm.delete(subscriberTopics).where(theirs).run();
}
