import { and, eq, gt, or, type SQL, sql } from "drizzle-orm";
import { clockSlackMs, hourMs } from "../lib/time";
import { isOpen } from "../broadcasts/sending/batches";
import type { Db, Orm } from "../engine/open";
import { broadcastBatches, broadcasts } from "../schema/broadcasts";
import { outbox } from "../schema/mail";
import { isUnsettled, uploads } from "../schema/storage";
import { webhookDeliveries } from "../schema/webhooks";
import { longestLeaseMs } from "../webhooks/attempts";

const maxMailWaitMs = 8 * hourMs; // after a failed attempt (`db/mail/rules.ts`)
const maxCheckWaitMs = 10 * 60_000; // open uploads are checked every minute
const maxPauseMs = 27 * hourMs; // webhooks pause for up to a day and a tenth, broadcasts for 25 hours
const maxLeaseMs = longestLeaseMs + clockSlackMs; // those of broadcasts are shorter
const spareDoubtMs = hourMs; // the rest of the provider’s day after `keyMs`

/**
 * Resets times that were written while the clock was ahead (docs/decisions/database.md) and would block something until
 * they come, except those of rate limits, which prune their own. Runs at start-up and with the cleanup; changes nothing
 * if the clock was right.
 */
export const resetFutureTimes = (db: Db, now: Date) =>
  db.write(async (orm) => {
    const slack = new Date(now.getTime() + clockSlackMs);
    const wait = (milliseconds: number) => new Date(now.getTime() + milliseconds);
    const isQueued = sql`state = 'queued'`; // written out, so that SQLite uses the partial indexes
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
      .update(outbox)
      .set({ inDoubtSince: new Date(0) }) // as of a batch: perhaps it is too late to repeat it
      .where(and(isQueued, gt(outbox.inDoubtSince, wait(spareDoubtMs))))
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
    await resetDeliveries(orm, slack, wait);
    await resetBroadcasts(orm, wait);
  });

/** A delivery that was never tried is due from its creation. */
async function resetDeliveries(orm: Orm, slack: Date, wait: (milliseconds: number) => Date): Promise<void> {
  const { attempts, leaseUntil, nextAttemptAt } = webhookDeliveries;
  const isTooLate = or(gt(nextAttemptAt, wait(maxPauseMs)), and(eq(attempts, 0), gt(nextAttemptAt, slack)));
  const set = { nextAttemptAt: wait(0) };
  await orm
    .update(webhookDeliveries)
    .set(set)
    .where(and(sql`state = 'queued'`, isTooLate))
    .run();
  await orm
    .update(webhookDeliveries)
    .set({ leaseUntil: null })
    .where(gt(leaseUntil, wait(maxLeaseMs)))
    .run();
}

/**
 * If the first attempt of a batch in doubt seems to be in the future, it may be too late to repeat it: the batch
 * becomes uncertain, rather than being sent twice.
 */
async function resetBroadcasts(orm: Orm, wait: (milliseconds: number) => Date): Promise<void> {
  const { firstAttemptAt, leaseUntil, nextAttemptAt } = broadcastBatches;
  const reset = (set: Partial<typeof broadcastBatches.$inferInsert>, isTooLate: SQL) =>
    orm.update(broadcastBatches).set(set).where(and(isOpen, isTooLate)).run();
  await reset({ leaseUntil: null }, gt(leaseUntil, wait(maxLeaseMs)));
  await reset({ firstAttemptAt: new Date(0) }, gt(firstAttemptAt, wait(spareDoubtMs)));
  await reset({ nextAttemptAt: wait(0) }, gt(nextAttemptAt, wait(maxPauseMs)));
  const resumed = { pausedUntil: null, pausedFor: null };
  await orm
    .update(broadcasts)
    .set(resumed)
    .where(gt(broadcasts.pausedUntil, wait(maxPauseMs)))
    .run();
}
