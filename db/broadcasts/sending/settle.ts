import { and, eq, inArray, isNotNull, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { forUpdate } from "../../engine/dialects";
import { type Db, type Orm, prepared } from "../../engine/open";
import { lockInOrder } from "../../lib/rows";
import { maxRetryDelayMs, retryDelaysMs } from "../../mail/rules";
import { broadcastBatches, broadcastRecipients, broadcasts, recipientStates } from "../../schema/broadcasts";
import { subscribers } from "../../schema/newsletter";
import { suppress as suppressAddress } from "../../suppressions/suppressions";
import type { Broadcast } from "../broadcasts";
import { type Batch, endBatch, isIn, isOpen, splitBatch } from "./batches";
import type { ClaimedBatch } from "./claim";

/*
 * What becomes true with each outcome (docs/decisions/sending.md). Each is one commit, with what follows from it for the
 * broadcast, such as a pause.
 */

/**
 * The outcome is unknown. The batch is repeated unchanged, unless that could send it twice, or its broadcast was
 * cancelled in the meantime: then its recipients are uncertain. So they are 23 hours after the first attempt, when the
 * provider may have forgotten the key (`endOverdue` in `batches.ts`).
 */
export const unknown = (
  db: Db,
  batch: ClaimedBatch,
  { error, isRepeatable }: { error: string; isRepeatable: boolean },
  now: Date,
) =>
  inOpen(db, batch, undefined, async (orm, { state }) => {
    if (!isRepeatable || state === "cancelled")
      return endBatch(orm, batch, { batch: "uncertain", recipients: "uncertain", error }, now);
    const delay = retryDelaysMs[batch.attempts - 1] ?? maxRetryDelayMs;
    await update(orm, batch, { leaseUntil: null, lastError: error, nextAttemptAt: new Date(now.getTime() + delay) });
  });

/** The provider had something else under this key: until a report proves it, what was sent is unknown. */
export const conflicting = (db: Db, batch: ClaimedBatch, error: string, now: Date) =>
  inOpen(db, batch, now, (orm) => endBatch(orm, batch, { batch: "uncertain", recipients: "uncertain", error }, now));

/**
 * The provider refused the batch for now, and may accept it from `at` on, under a new key. But a refusal says nothing
 * about an earlier attempt without a response: a batch that was in doubt stays in doubt, and keeps its key.
 */
export const postponed = (
  db: Db,
  batch: ClaimedBatch,
  { error, at, now }: { error: string; at: Date; now: Date },
  follow?: (orm: Orm) => Promise<unknown>,
) =>
  inOpen(db, batch, undefined, async (orm, { state }) => {
    const wasInDoubt = isRepetition(batch);
    if (state === "cancelled") {
      const ending = wasInDoubt ? ("uncertain" as const) : ("skipped" as const);
      await endBatch(orm, batch, { batch: ending, recipients: ending }, now);
    } else {
      const open = wasInDoubt ? { leaseUntil: null } : fresh(batch);
      await update(orm, batch, { ...open, lastError: error, nextAttemptAt: at });
    }
    await follow?.(orm); // first, because it may lock other broadcasts too, in their order
    await touch(orm, batch, now);
  });

/** Whether its key was used before: then the provider may have it, whatever the result of this attempt. */
export const isRepetition = ({ attempts }: Pick<Batch, "attempts">) => attempts > 1;

const fresh = ({ epoch }: Batch) => ({ epoch: epoch + 1, firstAttemptAt: null, frozen: null, leaseUntil: null });

/** The provider certainly does not have it: its halves are tried, under keys of their own. */
export const split = (db: Db, batch: ClaimedBatch, error: string, now: Date) =>
  inOpen(db, batch, now, async (orm, { state }) => {
    if (state === "cancelled") return endBatch(orm, batch, { batch: "skipped", recipients: "skipped" }, now);
    await update(orm, batch, { lastError: error });
    await splitBatch(orm, batch, { rows: batch.frozen.map(([row]) => row) }, now);
  });

type Refusals = { /** In a row. */ refusals: number; /** Whether any email was ever accepted. */ wasAccepted: boolean };

/**
 * The provider will never accept this single email.
 *
 * @param isBounce its address does not exist, and gets no more email (D17)
 */
export const failed = (
  db: Db,
  batch: ClaimedBatch,
  { error, isBounce, now }: { error: string; isBounce: boolean; now: Date },
  follow: (orm: Orm, refusals: Refusals) => Promise<unknown>,
) =>
  inOpen(db, batch, now, async (orm, broadcast) => {
    await endBatch(orm, batch, { batch: "failed", recipients: "failed", error }, now);
    if (isBounce) await suppress(orm, batch, error, now);
    const refusals = isBounce ? broadcast.refusals : broadcast.refusals + 1;
    await orm.update(broadcasts).set({ refusals }).where(eq(broadcasts.row, batch.broadcastRow)).run();
    await follow(orm, { refusals, wasAccepted: broadcast.accepted > 0 });
  });

async function suppress(orm: Orm, batch: ClaimedBatch, error: string, now: Date) {
  for (const [row] of batch.frozen) {
    const bounced = orm.update(broadcastRecipients).set({ bouncedAt: now }).where(eq(broadcastRecipients.row, row));
    const subscriberRow = (await bounced.returning({ person: broadcastRecipients.subscriberRow }).get())?.person;
    if (subscriberRow === null || subscriberRow === undefined) continue;
    const person = await orm.select().from(subscribers).where(eq(subscribers.row, subscriberRow)).get();
    const bounce = { reason: "bounce" as const, detail: error };
    if (person) await suppressAddress(orm, { ...bounce, email: person.email }, { via: "provider" }, now);
  }
}

/** Sends no more of any broadcast until then, because the provider asked for it or cannot be reached. */
export const pauseSending = (db: Db, until: Date, reason: PausedFor) =>
  db.write((orm) => pauseSendingIn(orm, until, reason));

/** The same, inside the caller's transaction. */
export async function pauseSendingIn(orm: Orm, until: Date, reason: PausedFor): Promise<void> {
  const { state, pausedUntil } = broadcasts;
  const isSooner = and(eq(state, "sending"), or(isNull(pausedUntil), lt(pausedUntil, until)));
  await lockInOrder(orm, broadcasts, isSooner);
  await orm.update(broadcasts).set({ pausedUntil: until, pausedFor: reason }).where(isSooner).run();
}

/** Why sending is paused. */
export type PausedFor = "rate" | "daily-quota" | "unavailable" | "unknown" | "hourly-limit";

/** The provider responds again: batches in doubt are repeated soon, however long they were to wait. */
export const hasten = (db: Db, now: Date) =>
  db.write((orm) =>
    orm
      .update(broadcastBatches)
      .set({ nextAttemptAt: now })
      .where(and(isOpen, isNotNull(broadcastBatches.firstAttemptAt), isNull(broadcastBatches.leaseUntil)))
      .run(),
  );

/**
 * Runs `work` if the batch still waits for the response to this attempt: if the process was paused, another may have
 * taken it.
 *
 * @param answeredAt when the provider gave a definite one
 */
const inOpen = <T>(
  db: Db,
  batch: Batch,
  answeredAt: Date | undefined,
  work: (orm: Orm, broadcast: Broadcast) => Promise<T>,
) =>
  db.write(async (orm): Promise<T | undefined> => {
    const { row, epoch, attempts } = broadcastBatches;
    const mine = and(eq(row, batch.row), isOpen, eq(epoch, batch.epoch), eq(attempts, batch.attempts));
    const locked = forUpdate(mine); // before its recipients, as in `accepted`
    if (!(await orm.select({ row }).from(broadcastBatches).where(locked).get())) return;
    const broadcast = await orm.select().from(broadcasts).where(eq(broadcasts.row, batch.broadcastRow)).get();
    if (!broadcast) return;
    if (answeredAt) await touch(orm, batch, answeredAt);
    return work(orm, broadcast);
  });

const touch = (orm: Orm, { broadcastRow }: Batch, now: Date, more: Partial<Broadcast> = {}) =>
  orm
    .update(broadcasts)
    .set({ settledAt: now, ...more })
    .where(eq(broadcasts.row, broadcastRow))
    .run();

const update = (orm: Orm, { row }: Batch, values: Partial<Batch>) =>
  orm.update(broadcastBatches).set(values).where(eq(broadcastBatches.row, row)).run();

const { placeholder } = sql;

/** The provider accepted the batch. @param ids the provider's, in the order of the recipients */
export const accepted = (db: Db, batch: ClaimedBatch, ids: (string | null)[], now: Date) =>
  db.write(async (orm) => {
    const state = batch.provider === "simulated" ? ("simulated" as const) : ("accepted" as const);
    if (!(await acceptBatch(orm).all({ row: batch.row, state })).length) return;
    const [[recipient] = [0], ...others] = batch.frozen;
    const values = { batch: batch.row, state: recipientStates[state], now: now.getTime() };
    await noteAcceptance(orm).run({ broadcast: batch.broadcastRow, now: values.now }); // before its recipients, as an erasure
    if (!others.length) await acceptOne(orm).run({ ...values, recipient, id: bytesOfId(ids[0]) });
    else
      await orm
        .update(broadcastRecipients)
        .set({ state: values.state, acceptedAt: now, providerId: idsOf(batch, ids), error: null })
        .where(and(isIn(batch), isUnsettled))
        .run();
  }, guarded);

const isUnsettled = inArray(broadcastRecipients.state, [recipientStates.claimed, recipientStates.uncertain]);

const acceptBatch = prepared((orm) => {
  const { row, state } = broadcastBatches;
  const mine = and(eq(row, placeholder("row")), inArray(state, ["open", "uncertain"]));
  const ended = { state: sql`${placeholder("state")}`, frozen: null, leaseUntil: null, lastError: null };
  return orm.update(broadcastBatches).set(ended).where(mine).returning({ row }).prepare();
});

const acceptOne = prepared((orm) => {
  const { row, batchRow } = broadcastRecipients;
  const accepted = {
    state: sql`${placeholder("state")}`,
    acceptedAt: sql`${placeholder("now")}`,
    error: null,
    providerId: sql`${placeholder("id")}`,
  };
  const mine = and(eq(row, placeholder("recipient")), eq(batchRow, placeholder("batch")), isUnsettled);
  return orm.update(broadcastRecipients).set(accepted).where(mine).prepare();
});

const noteAcceptance = prepared((orm) =>
  orm
    .update(broadcasts)
    .set({ settledAt: sql`${placeholder("now")}`, refusals: 0 })
    .where(eq(broadcasts.row, placeholder("broadcast")))
    .prepare(),
);

/** Guarded by the state of the batch, whose row it locks (docs/decisions/postgres.md). */
const guarded = { guarded: true } as const;

/** Stores each recipient's own ID, in one statement. */
function idsOf({ frozen }: ClaimedBatch, ids: (string | null)[]): SQL {
  const each = frozen.map(([row], i) => sql`when ${row} then ${bytesOfId(ids[i])}`);
  const { row, providerId } = broadcastRecipients;
  return sql`case ${row} ${sql.join(each, sql` `)} else ${providerId} end`;
}

/** A provider's ID as stored: a UUID as 16 bytes, anything else as text. */
const bytesOfId = (id: string | null | undefined): Buffer | null =>
  !id ? null : isUuid.test(id) ? Buffer.from(id.replaceAll("-", ""), "hex") : Buffer.from(id.slice(0, 200));
const isUuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
