import { and, between, eq, inArray, isNotNull, isNull, lte, or, type Placeholder, sql } from "drizzle-orm";
import type { Db, Orm } from "../../engine/open";
import { keyMs } from "../../mail/rules";
import { broadcastBatches, broadcastRecipients, broadcasts, recipientStates } from "../../schema/broadcasts";

export type Batch = typeof broadcastBatches.$inferSelect;

/** How long a sender has for an attempt. After that it is presumed dead. */
export const leaseMs = 90_000;

/** No sender is working on it. */
export const isFree = (now: Date | Placeholder) =>
  or(isNull(broadcastBatches.leaseUntil), lte(broadcastBatches.leaseUntil, now));
export const isOpen = sql`${broadcastBatches.state} = 'open'`; // written out, so that SQLite uses the partial index

/** What is known about recipients when their batch ends. */
type Ending = {
  batch: "failed" | "skipped" | "uncertain" | "simulated" | "accepted";
  recipients: keyof typeof recipientStates;
  error?: string | undefined;
};

/** Ends a batch in the same way for all its recipients that are not settled yet. */
export async function endBatch(orm: Orm, batch: Batch, { batch: state, recipients, error }: Ending, now: Date) {
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
    .where(and(isIn(batch), eq(broadcastRecipients.state, recipientStates.claimed)))
    .run();
}

/**
 * Moves the recipients of an open batch, given by their rows, into two batches that are due now.
 *
 * @param first how many go into the first one; by default half of them
 */
export async function splitBatch(
  orm: Orm,
  batch: Batch,
  { rows, first = Math.ceil(rows.length / 2) }: { rows: number[]; first?: number },
  now: Date,
): Promise<void> {
  for (const part of [rows.slice(0, first), rows.slice(first)])
    if (part.length) await insertBatch(orm, batch, part, now);
  const gone = { state: "split" as const, frozen: null, leaseUntil: null };
  await orm.update(broadcastBatches).set(gone).where(eq(broadcastBatches.row, batch.row)).run();
}

/** Adds an open batch of these recipients, without any attempt of its own yet. */
export async function insertBatch(
  orm: Orm,
  { broadcastRow, createdAt, admittedAt }: Pick<Batch, "broadcastRow" | "createdAt" | "admittedAt">,
  rows: number[],
  now: Date,
): Promise<void> {
  const range = { firstRecipient: Math.min(...rows), lastRecipient: Math.max(...rows), count: rows.length };
  const values = { broadcastRow, createdAt, admittedAt, nextAttemptAt: now, ...range };
  const { row } = await orm.insert(broadcastBatches).values(values).returning({ row: broadcastBatches.row }).get();
  const change = { batchRow: row, state: recipientStates.claimed, error: null };
  await orm.update(broadcastRecipients).set(change).where(inArray(broadcastRecipients.row, rows)).run();
}

/** Condition: the batch's recipients. The range limits what is read; the number decides. */
export const isIn = (batch: Pick<Batch, "row" | "firstRecipient" | "lastRecipient">) =>
  and(
    between(broadcastRecipients.row, batch.firstRecipient, batch.lastRecipient),
    eq(broadcastRecipients.batchRow, batch.row),
  );

const uncertain = { batch: "uncertain", recipients: "uncertain" } as const;
const skipped = { batch: "skipped", recipients: "skipped" } as const;

/** Ends the open batches of a cancelled broadcast, except those in flight, which end with their response. */
export async function closeOpenBatches(orm: Orm, broadcastRow: number, now: Date): Promise<void> {
  const mine = and(eq(broadcastBatches.broadcastRow, broadcastRow), isOpen, isFree(now));
  for (const batch of await orm.select().from(broadcastBatches).where(mine).all())
    await endBatch(orm, batch, batch.firstAttemptAt ? uncertain : skipped, now);
}

/** Open batches that no attempt can end: in doubt for too long, or of a cancelled broadcast whose sender died. */
const isOverdue = (now: Date) =>
  and(
    isOpen,
    isFree(now),
    or(
      and(
        isNotNull(broadcastBatches.firstAttemptAt),
        lte(broadcastBatches.firstAttemptAt, new Date(now.getTime() - keyMs)),
      ),
      eq(broadcasts.state, "cancelled"),
    ),
  );

const overdue = (orm: Orm, now: Date) =>
  orm
    .select({ batch: broadcastBatches })
    .from(broadcastBatches)
    .innerJoin(broadcasts, eq(broadcasts.row, broadcastBatches.broadcastRow))
    .where(isOverdue(now))
    .limit(100);

/** Ends overdue batches. Cheap enough to call every second. */
export async function endOverdue(db: Db, now: Date): Promise<void> {
  if (!(await db.read((orm) => overdue(orm, now).get()))) return;
  await db.write(async (orm) => {
    const batches = (await overdue(orm, now).all()).map(({ batch }) => batch);
    batches.sort((a, b) => a.broadcastRow - b.broadcastRow); // as all do who lock several broadcasts
    for (const batch of batches) await endBatch(orm, batch, batch.firstAttemptAt ? uncertain : skipped, now);
  });
}

/** Releases the batches of a sender that died. Only for a process that knows there is no other sender. */
export const releaseLeases = (db: Db) =>
  db.write((orm) =>
    orm
      .update(broadcastBatches)
      .set({ leaseUntil: null })
      .where(and(isOpen, isNotNull(broadcastBatches.leaseUntil)))
      .run(),
  );
