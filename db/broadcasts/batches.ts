import { and, between, eq, isNull, lte, or, sql } from "drizzle-orm";
import type { Orm } from "../engine/open";
import { broadcastBatches, broadcastRecipients, recipientStates } from "../schema/broadcasts";

type Batch = typeof broadcastBatches.$inferSelect;

/** Nobody is at work on it. */
const isFree = (now: Date) => or(isNull(broadcastBatches.leaseUntil), lte(broadcastBatches.leaseUntil, now));
export const isOpen = sql`${broadcastBatches.state} = 'open'`; // written out, so that SQLite uses the partial index

/** What is known of recipients when their batch ends. */
type Ending = {
  batch: "failed" | "skipped" | "uncertain" | "simulated" | "accepted";
  recipients: keyof typeof recipientStates;
  error?: string | undefined;
};

/** Ends a batch the same way for all of its recipients that are not settled yet. */
async function endBatch(orm: Orm, batch: Batch, { batch: state, recipients, error }: Ending, now: Date) {
  const gone = { frozen: null, leaseUntil: null, ...(error !== undefined && { lastError: error }) };
  await orm
    .update(broadcastBatches)
    .set({ state, ...gone })
    .where(eq(broadcastBatches.row, batch.row))
    .run();
  const acceptedAt = recipients === "accepted" || recipients === "simulated" ? { acceptedAt: now } : {};
  await orm
    .update(broadcastRecipients)
    .set({ state: recipientStates[recipients], ...acceptedAt, ...(error !== undefined && { error }) })
    .where(and(isUnsettledIn(batch), eq(broadcastRecipients.state, recipientStates.claimed)))
    .run();
}

/** Its recipients. The range is what is read; the number is what counts. */
const isUnsettledIn = (batch: Pick<Batch, "row" | "firstRecipient" | "lastRecipient">) =>
  and(
    between(broadcastRecipients.row, batch.firstRecipient, batch.lastRecipient),
    eq(broadcastRecipients.batchRow, batch.row),
  );

const uncertain = { batch: "uncertain", recipients: "uncertain" } as const;
const skipped = { batch: "skipped", recipients: "skipped" } as const;

/** Ends the open batches of a cancelled broadcast, but for those in flight: their answer ends them. */
export async function closeOpenBatches(orm: Orm, broadcastRow: number, now: Date): Promise<void> {
  const mine = and(eq(broadcastBatches.broadcastRow, broadcastRow), isOpen, isFree(now));
  for (const batch of await orm.select().from(broadcastBatches).where(mine).all())
    await endBatch(orm, batch, batch.firstAttemptAt ? uncertain : skipped, now);
}
