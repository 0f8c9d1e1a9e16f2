import { and, asc, desc, eq, gte, inArray, lt, lte, ne, sql } from "drizzle-orm";
import { createHmac, randomBytes } from "node:crypto";
import type { Db, Orm } from "./engine/open";
import { deleteInCommits } from "./lib/bulk";
import { type Days, dayOf } from "./lib/time";
import { countedKinds, dailyCounts, visits, visitSalts } from "./schema/counts";

/** A visit: the ID of what was seen, and what distinguishes visitors within a day. */
export type Visit = {
  kind: "view" | "click" | "page";
  id: string;
  visitor: string;
  /** The host that a reader came from. */
  host?: string | undefined;
};

/**
 * Records the visits of a day. Returns those that no process recorded before. Earlier days lose their salt. Every
 * process writes in the same order, so that no two wait for each other.
 */
export async function record(orm: Orm, day: number, seen: Visit[]): Promise<Visit[]> {
  await orm.delete(visitSalts).where(lt(visitSalts.day, day)).run();
  const salt = await saltOf(orm, day);
  const first: Visit[] = [];
  for (const visit of seen.toSorted((a, b) => (personOf(a) < personOf(b) ? -1 : 1))) {
    const visitor = createHmac("sha256", salt).update(personOf(visit)).digest("base64url");
    const row = await orm.insert(visits).values({ day, visitor }).onConflictDoNothing().returning().get();
    if (row) first.push(visit);
  }
  return first;
}

/** The person, different for each thing seen. */
const personOf = ({ id, visitor }: Visit) => `${id} ${visitor}`;

/** Deletes the visits of earlier days, which can no longer be linked to anything. */
export const deleteBefore = (db: Db, day: number): Promise<number> =>
  deleteInCommits(db, { table: visits, key: [visits.day, visits.visitor], where: lt(visits.day, day) });

async function saltOf(orm: Orm, day: number): Promise<string> {
  const salt = randomBytes(32).toString("hex");
  await orm.insert(visitSalts).values({ day, salt }).onConflictDoNothing().run();
  return (await orm.select().from(visitSalts).where(eq(visitSalts.day, day)).get())?.salt ?? salt;
}

/*
 * Which sites views come from: the host alone, by day, and never who. Anyone can name any host, so how many are kept is
 * limited: of a day, those that sent readers lately, and so many new ones. The others are one.
 */

/** In place of the hosts that are not kept. */
export const otherHosts = "*";

const maxNew = { hosts: 50, ofPost: 10 }; // in a day
const maxEstablished = 100;
const establishedDays = 28;
/** For how many days referrers are kept. */
export const keptDays = 400;

/** A post and the host that readers came from. */
const subjectOf = (postId: string, host: string) => `${postId} ${host}`;

/** Adds the views of a day that named where they came from: by post, then by host. */
export async function addReferrers(orm: Orm, day: number, views: Map<string, Map<string, number>>): Promise<void> {
  if (!views.size) return;
  const [today, established] = [await hostsOf(orm, day), await establishedHosts(orm, day)];
  const all = new Map<string, number>();
  const ofPosts = new Map<string, number>();
  for (const [postId, hosts] of views) {
    const ofPost = new Set(await hostsOfPost(orm, day, postId));
    for (const [host, count] of hosts) {
      const name = admitted(host, { isEstablished: established.has(host), among: today, max: maxNew.hosts });
      add(all, name, count);
      const isEstablished = name !== otherHosts && established.has(host);
      const subject = name === otherHosts ? name : admitted(host, { isEstablished, among: ofPost, max: maxNew.ofPost });
      add(ofPosts, subjectOf(postId, subject), count);
    }
  }
  await addToDay(orm, day, { referrer: all, "post-referrer": ofPosts });
}

type Places = { isEstablished: boolean; among: Set<string>; max: number };

/** The host, if it has a place among those of the day, or gets one. */
function admitted(host: string, { isEstablished, among, max }: Places): string {
  if (among.has(host) || isEstablished) return host;
  if (among.size >= max) return otherHosts;
  among.add(host);
  return host;
}

const add = (counts: Map<string, number>, key: string, count: number) =>
  counts.set(key, (counts.get(key) ?? 0) + count);

const { kind, subjectId, day: dayColumn, count } = dailyCounts;

async function hostsOf(orm: Orm, day: number): Promise<Set<string>> {
  const isOfDay = and(eq(kind, "referrer"), eq(dayColumn, day), ne(subjectId, ""), ne(subjectId, otherHosts));
  const rows = await orm.select({ subjectId }).from(dailyCounts).where(isOfDay).all();
  return new Set(rows.map((row) => row.subjectId));
}

async function hostsOfPost(orm: Orm, day: number, postId: string): Promise<string[]> {
  const isOfDay = and(isOfPost(postId), eq(dayColumn, day));
  const rows = await orm.select({ subjectId }).from(dailyCounts).where(isOfDay).all();
  return rows.map((row) => hostIn(row.subjectId)).filter((host) => host !== otherHosts);
}

/** Condition: its rows, which are beside each other in the primary key. */
const isOfPost = (postId: string) =>
  and(eq(kind, "post-referrer"), gte(subjectId, `${postId} `), lt(subjectId, `${postId}!`));
const hostIn = (subject: string) => subject.slice(subject.indexOf(" ") + 1);

/** The hosts that sent the most readers lately, and more than a stray one. */
async function establishedHosts(orm: Orm, day: number): Promise<Set<string>> {
  const rows = await largest(orm, { from: day - establishedDays }, maxEstablished);
  return new Set(rows.filter((row) => row.count > 2).map((row) => row.host));
}

const sum = sql<number>`cast(sum(${count}) as bigint)`.mapWith(Number);

/** Condition: of these days. */
const within = ({ from, to }: Days) => and(gte(dayColumn, from), to === undefined ? undefined : lte(dayColumn, to));

const largest = (orm: Orm, days: Days, limit: number) =>
  orm
    .select({ host: subjectId, count: sum })
    .from(dailyCounts)
    .where(and(eq(kind, "referrer"), within(days), ne(subjectId, "")))
    .groupBy(subjectId)
    .orderBy(desc(sum), subjectId)
    .limit(limit)
    .all();

export type Referrer = { host: string; count: number };

/** Returns where the most views came from on these days; undefined if no view ever said so. */
export const referrersOn = (db: Db, days: Days, limit: number): Promise<Referrer[] | undefined> =>
  db.read(async (orm) => {
    const rows = await largest(orm, days, limit);
    if (rows.length) return rows;
    return (await largest(orm, { from: 0 }, 1)).length ? [] : undefined;
  });

/** The same of one post. */
export const referrersOfPost = (db: Db, postId: string, days: Days, limit: number): Promise<Referrer[]> =>
  db.read(async (orm) => {
    const rows = await orm
      .select({ subjectId, count: sum })
      .from(dailyCounts)
      .where(and(isOfPost(postId), within(days)))
      .groupBy(subjectId)
      .orderBy(desc(sum), subjectId)
      .limit(limit)
      .all();
    return rows.map((row) => ({ host: hostIn(row.subjectId), count: row.count }));
  });

/** Deletes what is older than that, also of posts which are gone. */
export const deleteOldReferrers = (db: Db, now: Date): Promise<number> => {
  const isOld = and(inArray(kind, ["referrer", "post-referrer"]), lt(dayColumn, dayOf(now) - keptDays));
  return deleteInCommits(db, { table: dailyCounts, key: [kind, subjectId, dayColumn], where: isOld });
};

type Kind = (typeof dailyCounts.$inferSelect)["kind"];
type DailyCount = { day: number; count: number };
/** Counts not written yet: by kind, then by subject. */
type Counted = Partial<Record<Kind, Map<string, number>>>;

const all = ""; // in place of a subject ID
const rowsPerStatement = 5_000;

/**
 * Adds to the counts of a day, for each subject and for all of its kind together. It is one statement whose rows have
 * the same order in every process, so that no two processes wait for each other.
 */
export async function addToDay(orm: Orm, day: number, counted: Counted): Promise<void> {
  const rows = countedKinds.flatMap((kind) => rowsOf(kind, day, counted[kind] ?? new Map()));
  rows.sort((a, b) => (`${a.kind} ${a.subjectId}` < `${b.kind} ${b.subjectId}` ? -1 : 1));
  for (let at = 0; at < rows.length; at += rowsPerStatement)
    await orm
      .insert(dailyCounts)
      .values(rows.slice(at, at + rowsPerStatement))
      .onConflictDoUpdate({
        target: [dailyCounts.kind, dailyCounts.subjectId, dailyCounts.day],
        set: { count: sql`${dailyCounts}.count + excluded.count` },
      })
      .run();
}

function rowsOf(kind: Kind, day: number, counts: Map<string, number>) {
  const sum = [...counts.values()].reduce((a, b) => a + b, 0);
  const rows = [...counts].map(([subjectId, count]) => ({ kind, subjectId, day, count }));
  return sum ? [...rows, { kind, subjectId: all, day, count: sum }] : [];
}

/** Returns the counts of one subject, or of all of its kind, on these days; those without any are omitted. */
export const countsOn = (db: Db, kind: Kind, days: Days, subjectId = all): Promise<DailyCount[]> =>
  db.read((orm) =>
    orm
      .select({ day: dailyCounts.day, count: dailyCounts.count })
      .from(dailyCounts)
      .where(and(eq(dailyCounts.kind, kind), eq(dailyCounts.subjectId, subjectId), within(days)))
      .orderBy(asc(dailyCounts.day))
      .all(),
  );

/** Returns the first day on which anything of the kind was counted. */
export const countedSince = async (db: Db, kind: Kind, subjectId = all): Promise<number | undefined> =>
  db.read(
    async (orm) =>
      (
        await orm
          .select({ day: dailyCounts.day })
          .from(dailyCounts)
          .where(and(eq(dailyCounts.kind, kind), eq(dailyCounts.subjectId, subjectId)))
          .orderBy(asc(dailyCounts.day))
          .limit(1)
          .get()
      )?.day,
  );

/** Returns the subjects with the largest counts on these days, from the index of the days alone. */
export const largestOn = (db: Db, kind: Kind, days: Days, limit: number) =>
  db.read((orm) => {
    const count = sql<number>`cast(sum(${dailyCounts.count}) as bigint)`.mapWith(Number);
    return orm
      .select({ id: dailyCounts.subjectId, count })
      .from(dailyCounts)
      .where(and(eq(dailyCounts.kind, kind), within(days), ne(dailyCounts.subjectId, all)))
      .groupBy(dailyCounts.subjectId)
      .orderBy(desc(count), asc(dailyCounts.subjectId))
      .limit(limit)
      .all();
  });
