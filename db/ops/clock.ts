import { clockSlackMs } from "../lib/clock-slack";
import { and, gt, or, sql } from "drizzle-orm";
import type { Db } from "../engine/open";
import { rateLimitHits } from "../schema/access";
import { outbox } from "../schema/mail";
import { isUnsettled, uploads } from "../schema/storage";

const hourMs = 3_600_000;
const maxMailWaitMs = 8 * hourMs; // after a failed attempt (see outbox.ts)
const maxCheckWaitMs = 10 * 60_000; // open uploads are checked every minute

/**
 * Resets times that were written while the clock was ahead (P77) and would block something until they come. Runs at
 * start-up and with the cleanup; changes nothing if the clock was right.
 */
export const resetFutureTimes = (db: Db, now: Date) =>
  db.write(async (orm) => {
    const slack = new Date(now.getTime() + clockSlackMs);
    const wait = (milliseconds: number) => new Date(now.getTime() + milliseconds);
    const isQueued = sql`state = 'queued'`; // written out, so that SQLite uses the partial indexes
    await orm.delete(rateLimitHits).where(gt(rateLimitHits.at, slack)).run();
    await orm
      .update(outbox)
      .set({ nextAttemptAt: now })
      .where(
        and(
          isQueued,
          gt(outbox.nextAttemptAt, slack),
          or(gt(outbox.createdAt, slack), and(gt(outbox.attempts, 0), gt(outbox.nextAttemptAt, wait(maxMailWaitMs)))),
        ),
      )
      .run();
    await orm
      .update(uploads)
      .set({ nextCheckAt: now })
      .where(and(isUnsettled, gt(uploads.nextCheckAt, wait(maxCheckWaitMs))))
      .run();
    // The same lifetime as before, starting now
    await orm
      .update(uploads)
      .set({ holdUntil: sql`hold_until - created_at + ${now.getTime()}`, createdAt: now })
      .where(and(isUnsettled, gt(uploads.createdAt, slack)))
      .run();
  });
