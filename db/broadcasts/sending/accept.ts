import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { type Db, prepared } from "../../engine/open";
import { broadcastBatches, broadcastRecipients, broadcasts, recipientStates } from "../../schema/broadcasts";
import { isIn } from "./batches";
import type { ClaimedBatch } from "./claim";

const { placeholder } = sql;

/**
 * The provider accepted the batch. One commit, like every outcome (`settle.ts`). @param ids the provider's, in the
 * order of the recipients
 */
export const accepted = (db: Db, batch: ClaimedBatch, ids: (string | null)[], now: Date) =>
  db.write(async (orm) => {
    const state = batch.provider === "simulated" ? ("simulated" as const) : ("accepted" as const);
    if (!(await acceptBatch(orm).all({ row: batch.row, state })).length) return;
    const [[recipient] = [0], ...others] = batch.frozen;
    const values = { batch: batch.row, state: recipientStates[state], now: now.getTime() };
    if (!others.length) await acceptOne(orm).run({ ...values, recipient, id: bytesOfId(ids[0]) });
    else
      await orm
        .update(broadcastRecipients)
        .set({ state: values.state, acceptedAt: now, providerId: idsOf(batch, ids), error: null })
        .where(and(isIn(batch), isUnsettled))
        .run();
    await noteAcceptance(orm).run({ broadcast: batch.broadcastRow, now: values.now });
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
