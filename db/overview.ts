import { and, asc, count, eq, gte, inArray, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "./engine/open";
import { subscriberEvents, subscribers } from "./schema/newsletter";
import { storageNodes } from "./schema/storage";
import { freeBytes, isOutOfSpace } from "./storage/fullness";
import { isPaused } from "./storage/nodes";

/** Subscribers gained and lost between two moments. Deletions do not count: the subscribers did not decide them. */
type Traffic = { subscribed: number; unsubscribed: number };

/** Scans the index on time and kind once, so the cost depends on the number of events in between. */
const decided = prepared((orm) =>
  orm
    .select({
      reactivated: sql<number>`count(*) filter (where ${subscriberEvents.kind} = 'reactivated')`,
      unsubscribed: sql<number>`count(*) filter (where ${subscriberEvents.kind} = 'unsubscribed')`,
    })
    .from(subscriberEvents)
    .where(
      and(
        inArray(subscriberEvents.kind, ["reactivated", "unsubscribed"]),
        sql`created_at >= ${sql.placeholder("from")} and created_at < ${sql.placeholder("until")}`,
      ),
    )
    .prepare(),
);

/** Counts whoever is on the list at the time they joined, imported or not (P105). */
const joined = prepared((orm) =>
  orm
    .select({ n: count() })
    .from(subscribers)
    .where(sql`created_at >= ${sql.placeholder("from")} and created_at < ${sql.placeholder("until")}`)
    .prepare(),
);

/** Returns when those who subscribed since then, and were deleted, had subscribed: they count as before. */
async function joinedAndDeleted(orm: Orm, since: Date): Promise<number[]> {
  const deleted = orm
    .select({ id: subscriberEvents.subscriberId })
    .from(subscriberEvents)
    .where(and(eq(subscriberEvents.kind, "deleted"), gte(subscriberEvents.createdAt, since)));
  const events = await orm
    .select({ at: subscriberEvents.createdAt })
    .from(subscriberEvents)
    .where(
      and(
        inArray(subscriberEvents.subscriberId, deleted),
        eq(subscriberEvents.kind, "subscribed"),
        gte(subscriberEvents.createdAt, since),
      ),
    )
    .all();
  return events.map(({ at }) => at.getTime());
}

/** Returns the traffic of each interval between consecutive moments. */
export const traffic = (db: Db, moments: readonly Date[]) =>
  db.read(async (orm) => {
    const intervals: Traffic[] = [];
    const gone = await joinedAndDeleted(orm, moments[0] ?? new Date(0));
    for (const [i, start] of moments.slice(0, -1).entries()) {
      const [from, until] = [start.getTime(), (moments[i + 1] ?? start).getTime()];
      const { reactivated = 0, unsubscribed = 0 } = (await decided(orm).get({ from, until })) ?? {};
      const came = (await joined(orm).get({ from, until }))?.n ?? 0;
      const wentAgain = gone.filter((at) => at >= from && at < until).length;
      intervals.push({ subscribed: came + wentAgain + reactivated, unsubscribed });
    }
    return intervals;
  });

/**
 * Returns how full the storage is, and which nodes need attention. Drained nodes keep files but accept no new ones; a
 * retired node is ignored once it holds nothing.
 */
export const storage = (db: Db, now: Date) =>
  db.read(async (orm) => {
    const all = await orm.select().from(storageNodes).orderBy(asc(storageNodes.name)).all();
    const nodes = all.filter(
      ({ state, usedBytes, reservedBytes }) => state !== "down" || usedBytes + reservedBytes > 0,
    );
    const sum = (bytes: (node: (typeof nodes)[number]) => number) => nodes.reduce((all, node) => all + bytes(node), 0);
    const isDown = (node: (typeof nodes)[number]) =>
      node.state === "down" || isPaused(node, now) || node.checkError !== null;
    const isNearlyFull = (node: (typeof nodes)[number]) =>
      !isOutOfSpace(node) && freeBytes(node) <= node.capacityBytes / 10;
    return {
      nodes: nodes.length,
      used: sum(({ usedBytes }) => usedBytes),
      capacity: sum(({ capacityBytes }) => capacityBytes),
      isReachable: nodes.some((node) => !isDown(node) && node.checkedAt),
      down: nodes.filter(isDown).map(({ name }) => name),
      full: nodes.filter(isOutOfSpace).map(({ name }) => name),
      nearlyFull: nodes.filter((node) => node.capacityBytes > 0 && isNearlyFull(node)).map(({ name }) => name),
    };
  });
