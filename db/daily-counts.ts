import { and, asc, desc, eq, gte, ne, sql } from "drizzle-orm";
import type { Db, Orm } from "./engine/open";
import { countedKinds, dailyCounts } from "./schema/counts";

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

/** Returns the counts of one subject, or of all of its kind, from that day on; days without any are omitted. */
export const countsSince = (db: Db, kind: Kind, from: number, subjectId = all): Promise<DailyCount[]> =>
  db.read((orm) =>
    orm
      .select({ day: dailyCounts.day, count: dailyCounts.count })
      .from(dailyCounts)
      .where(and(eq(dailyCounts.kind, kind), eq(dailyCounts.subjectId, subjectId), gte(dailyCounts.day, from)))
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

/** Returns the subjects with the largest counts from that day on, from the index of the days alone. */
export const largestSince = (db: Db, kind: Kind, from: number, limit: number) =>
  db.read((orm) => {
    const count = sql<number>`cast(sum(${dailyCounts.count}) as bigint)`.mapWith(Number);
    return orm
      .select({ id: dailyCounts.subjectId, count })
      .from(dailyCounts)
      .where(and(eq(dailyCounts.kind, kind), gte(dailyCounts.day, from), ne(dailyCounts.subjectId, all)))
      .groupBy(dailyCounts.subjectId)
      .orderBy(desc(count), asc(dailyCounts.subjectId))
      .limit(limit)
      .all();
  });
