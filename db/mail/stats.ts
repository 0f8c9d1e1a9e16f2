import { and, count, eq, gt, min, type SQL, sql } from "drizzle-orm";
import { dayMs } from "../lib/time";
import { type Db, type Orm, prepared } from "../engine/open";
import { reachedWithin } from "../limits/hourly-limits";
import { outbox } from "../schema/mail";
import { countRows } from "../lib/rows";
import { isQueued, isUncertain, lanes } from "./outbox";

const oldest = (also?: SQL) =>
  prepared((orm) =>
    orm
      .select({ at: min(outbox.createdAt) })
      .from(outbox)
      .where(and(isQueued, also))
      .prepare(),
  );
const oldestOfAll = oldest();
const oldestFree = oldest(sql`lane = ${sql.raw(String(lanes.free))}`);

/**
 * Returns when the longest-waiting email was created; undefined if none is waiting. Being held back by the hourly limit
 * is not a failure, so while the limit applies those emails are left out until they are certainly overdue.
 */
export async function oldestQueued(orm: Orm, now: Date): Promise<Date | undefined> {
  const isLimited = (await reachedWithin(orm, 90 * 60_000, now)).some(
    ({ limit }) => limit === "emailsToStrangersPerHour",
  );
  return (await (isLimited ? oldestFree : oldestOfAll)(orm).get())?.at ?? undefined;
}

/** Counts the emails held back only by the hourly limit, now or when their retry is due. */
export const countAwaitingTurn = (orm: Orm): Promise<number> =>
  countRows(orm, outbox, and(isQueued, gt(outbox.lane, lanes.free)));

/** An email that waits longer is late. */
export const maxWaitMs = 15 * 60_000;

/**
 * Returns how many emails are queued, since when, how many are held back by the limit, and how many failed, or
 * may have arrived, in the last 7 days.
 */
export const stats = (db: Db, now: Date) =>
  db.read(async (orm) => {
    const queued = await countRows(orm, outbox, isQueued);
    const lately = new Date(now.getTime() - 7 * dayMs);
    const dead = await orm
      .select({ n: count() })
      .from(outbox)
      .where(and(eq(outbox.state, "dead"), gt(outbox.createdAt, lately)))
      .get();
    const uncertainLately = await countRows(orm, outbox, and(isUncertain, gt(outbox.createdAt, lately)));
    const oldestAt = await oldestQueued(orm, now);
    return {
      queued,
      awaitingTurn: await countAwaitingTurn(orm),
      oldestQueuedSeconds: oldestAt ? Math.max(0, Math.round((now.getTime() - oldestAt.getTime()) / 1_000)) : 0,
      failedLately: (dead?.n ?? 0) - uncertainLately,
      uncertainLately,
    };
  });
