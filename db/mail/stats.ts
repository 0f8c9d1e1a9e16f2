import { and, count, eq, gt, min, type SQL, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../engine/open";
import { reachedWithin } from "../hourly-limits";
import { outbox } from "../schema/mail";
import { countRows } from "../lib/page";
import { isQueued, lanes } from "./outbox";

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
 * When the mail that waits longest was written; undefined when none waits. While the hourly limit is at work, waiting
 * for a turn is no fault: those mails are left out until a turn is certainly overdue.
 */
export function oldestQueued(orm: Orm, now: Date): Date | undefined {
  const isLimited = reachedWithin(orm, 90 * 60_000, now).some(({ limit }) => limit === "emailsToStrangersPerHour");
  return (isLimited ? oldestFree : oldestOfAll)(orm).get()?.at ?? undefined;
}

/** How many mails only the hourly limit keeps from being sent, or will when their retry is due. */
export const countAwaitingTurn = (orm: Orm): number =>
  countRows(orm, outbox, and(isQueued, gt(outbox.lane, lanes.free)));

/** What waits, since when, how much of it for its turn, and what died in the last 7 days. */
export const stats = (db: Db, now: Date) =>
  db.read((orm) => {
    const queued = countRows(orm, outbox, isQueued);
    const dead = orm
      .select({ n: count() })
      .from(outbox)
      .where(and(eq(outbox.state, "dead"), gt(outbox.createdAt, new Date(now.getTime() - 7 * 86_400_000))))
      .get();
    const oldestAt = oldestQueued(orm, now);
    return {
      queued,
      awaitingTurn: countAwaitingTurn(orm),
      oldestQueuedSeconds: oldestAt ? Math.max(0, Math.round((now.getTime() - oldestAt.getTime()) / 1_000)) : 0,
      failedLately: dead?.n ?? 0,
    };
  });
