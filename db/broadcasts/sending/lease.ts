import { and, asc, eq, inArray, lte, type Placeholder, sql } from "drizzle-orm";
import { forUpdateSkipLocked, lockUntilCommit } from "../../engine/dialects";
import { type Db, type Orm, prepared } from "../../engine/open";
import { allowance, hourlyLimit, isInHour } from "../../limits/hourly-limits";
import { withValues } from "../../newsletter/fields";
import { broadcastBatches, broadcastRecipients, broadcasts, recipientStates } from "../../schema/broadcasts";
import { stillInAudience } from "../audience";
import { isStillIn } from "../steps";
import { type Batch, endBatch, isFree, isIn, isOpen, leaseMs, splitBatch } from "./batches";
import { begin, type ClaimedBatch, type Claimer, type Sending, withRecipientRows } from "./claim";

/*
 * Batches that were tried before: when one may be sent again without anyone getting it twice. The whole of it is in
 * docs/decisions/sending.md, under “Three outcomes” and “Dead and paused processes”.
 */

/** Condition: the batch is due for its next attempt; for a probe, it is enough that it waits for one. */
const isDue = (broadcastRow: number | Placeholder, isProbe: boolean, now: Date | Placeholder) =>
  and(
    eq(broadcastBatches.broadcastRow, broadcastRow),
    isOpen,
    isFree(now),
    isProbe ? undefined : lte(broadcastBatches.nextAttemptAt, now),
  );

const firstDue = (isProbe: boolean) =>
  prepared((orm) =>
    orm
      .select({ row: broadcastBatches.row })
      .from(broadcastBatches)
      .where(isDue(sql.placeholder("broadcast"), isProbe, sql.placeholder("now")))
      .limit(1)
      .prepare(),
  );
const [due, dueForProbe] = [firstDue(false), firstDue(true)];

/** Whether `lease` would find a batch. Cheap enough to ask before every claim. */
export const hasDue = (db: Db, broadcastRow: number, isProbe: boolean, now: Date) =>
  db.read(async (orm) => {
    const first = await (isProbe ? dueForProbe : due)(orm).all({ broadcast: broadcastRow, now: now.getTime() });
    return first.length > 0;
  });

type Wanted = {
  sending: Sending;
  limit: number;
  /** Takes one that waits, to find out whether the provider responds again. */
  isProbe: boolean;
  /** The batches that the hourly limit admits; undefined without a limit. */
  among?: number[] | undefined;
};

/**
 * Takes up to `limit` due batches again, small ones first, so that after a split the cause is found soon. A batch in
 * doubt is repeated unchanged, by the provider that got it; if that cannot be done without the risk of sending twice,
 * it becomes uncertain. The recipients of a batch that was certainly refused are checked again, because people leave.
 */
export const lease = (db: Db, { sending, limit, isProbe, among }: Wanted, by: Claimer, now: Date) =>
  db.write(async (orm): Promise<ClaimedBatch[]> => {
    const isSending = and(eq(broadcasts.row, sending.row), eq(broadcasts.state, "sending"));
    if (!(await orm.select({ row: broadcasts.row }).from(broadcasts).where(isSending).get())) return [];
    const waiting = await orm
      .select()
      .from(broadcastBatches)
      .where(and(isDue(sending.row, isProbe, now), among && inArray(broadcastBatches.row, among)))
      .orderBy(asc(broadcastBatches.count), asc(broadcastBatches.nextAttemptAt), asc(broadcastBatches.row))
      .limit(limit)
      .all();
    const taken: ClaimedBatch[] = [];
    for (const batch of waiting) {
      const again = await (isInDoubt(batch) ? repeat(orm, batch, by, now) : retry(orm, { batch, sending }, by, now));
      if (again) taken.push(again);
    }
    return taken;
  });

/** Whether the provider may have it. A simulated email was not sent anywhere. */
const isInDoubt = ({ firstAttemptAt, provider }: Batch) => firstAttemptAt !== null && provider !== "simulated";

async function repeat(orm: Orm, batch: Batch, by: Claimer, now: Date): Promise<ClaimedBatch | undefined> {
  const { frozen } = batch;
  if (!frozen || !by.isIdempotent || batch.provider !== by.provider)
    return void (await endBatch(orm, batch, { batch: "uncertain", recipients: "uncertain" }, now));
  const leaseUntil = new Date(now.getTime() + leaseMs);
  const attempt = { attempts: batch.attempts + 1, leaseUntil, admittedAt: now };
  await orm.update(broadcastBatches).set(attempt).where(eq(broadcastBatches.row, batch.row)).run();
  return { ...batch, ...attempt, frozen };
}

async function retry(orm: Orm, { batch, sending }: { batch: Batch; sending: Sending }, by: Claimer, now: Date) {
  const waiting = await orm
    .select({ row: broadcastRecipients.row, subscriberRow: broadcastRecipients.subscriberRow })
    .from(broadcastRecipients)
    .where(and(isIn(batch), eq(broadcastRecipients.state, recipientStates.claimed)))
    .orderBy(broadcastRecipients.row)
    .all();
  const mine = waiting.map(({ row }) => row);
  if (mine.length > by.perBatch) return void (await splitBatch(orm, batch, { rows: mine }, now));
  const recipientOf = new Map(waiting.map(({ row, subscriberRow }) => [subscriberRow, row]));
  const still = await stillInAudience(
    orm,
    waiting.flatMap(({ subscriberRow }) => subscriberRow ?? []),
    sending.segment,
    sending.isStep ? isStillIn(sending.row) : undefined,
  );
  const people = withRecipientRows(await withValues(orm, still, sending.values), recipientOf);
  const stayed = new Set(people.map(({ row }) => row));
  const left = waiting.flatMap(({ row }) => (stayed.has(row) ? [] : row));
  if (!people.length) return void (await endBatch(orm, batch, { batch: "skipped", recipients: "skipped" }, now));
  if (left.length) await skip(orm, left);
  return begin(orm, { batchRow: batch.row, people, of: [batch.firstRecipient, batch.lastRecipient] }, by, now);
}

const skip = (orm: Orm, rows: number[]) =>
  orm
    .update(broadcastRecipients)
    .set({ state: recipientStates.skipped })
    .where(inArray(broadcastRecipients.row, rows))
    .run();

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
