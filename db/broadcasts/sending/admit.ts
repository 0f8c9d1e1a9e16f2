import { and, asc, eq, inArray } from "drizzle-orm";
import { forUpdateSkipLocked, lockUntilCommit } from "../../engine/dialects";
import type { Db, Orm } from "../../engine/open";
import { allowance, hourlyLimit, isInHour } from "../../limits/hourly-limits";
import { broadcastBatches, broadcastRecipients, recipientStates } from "../../schema/broadcasts";
import { type Batch, isIn, splitBatch } from "./batches";
import { isDue, isInDoubt } from "./lease";

type Admission = {
  /** The batches that `lease` may take. */
  rows: number[];
  /** If none may be sent this hour: when more may. */
  fullUntil: Date | undefined;
};

/**
 * Admits due batches to the hourly limit, in the order in which `lease` takes them. One that was attempted within the
 * hour counts already. Of one that is too large, the part that fits is split off; in doubt, it has to be repeated as it
 * was, so it waits until it fits, or nothing else counts.
 */
export const admit = (db: Db, broadcastRow: number, how: { limit: number; isProbe: boolean }, now: Date) =>
  db.write(async (orm): Promise<Admission> => {
    await lockUntilCommit(orm)(orm, "broadcastEmails");
    const { left: all, opensAt } = await allowance(orm, "broadcastEmailsPerHour", now);
    const isUnused = all === (await hourlyLimit(orm, "broadcastEmailsPerHour"));
    let left = all;
    const rows: number[] = [];
    for (const batch of await dueBatches(orm, broadcastRow, how, now)) {
      const isCounted = batch.admittedAt !== null && isInHour(batch.admittedAt, now);
      const fits = isCounted || batch.count <= left || (isInDoubt(batch) && isUnused && !rows.length);
      if (!fits && !isInDoubt(batch) && left > 0) await splitOff(orm, batch, left, now);
      else if (!fits && !rows.length) return { rows, fullUntil: opensAt };
      if (!fits) break;
      rows.push(batch.row);
      left -= isCounted ? 0 : batch.count;
    }
    await orm.update(broadcastBatches).set({ admittedAt: now }).where(inArray(broadcastBatches.row, rows)).run();
    return { rows, fullUntil: undefined };
  }, guarded);

/** Guarded by the rows of the batches, and a lock for counting (docs/decisions/postgres.md). */
const guarded = { guarded: true } as const;

const dueBatches = (
  orm: Orm,
  broadcastRow: number,
  { limit, isProbe }: { limit: number; isProbe: boolean },
  now: Date,
) =>
  orm
    .select()
    .from(broadcastBatches)
    .where(isDue(broadcastRow, isProbe, now))
    .orderBy(
      asc(broadcastBatches.count),
      asc(broadcastBatches.nextAttemptAt),
      forUpdateSkipLocked(broadcastBatches.row),
    )
    .limit(limit)
    .all();

/** Makes a batch of the first recipients, and one of the others. */
async function splitOff(orm: Orm, batch: Batch, count: number, now: Date): Promise<void> {
  const waiting = await orm
    .select({ row: broadcastRecipients.row })
    .from(broadcastRecipients)
    .where(and(isIn(batch), eq(broadcastRecipients.state, recipientStates.claimed)))
    .orderBy(broadcastRecipients.row)
    .all();
  const rows = waiting.map(({ row }) => row);
  await splitBatch(orm, batch, { rows, first: count }, now);
}
