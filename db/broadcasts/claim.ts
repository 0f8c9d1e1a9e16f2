import { and, asc, eq, inArray, lte } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import {
  broadcastBatches,
  broadcastRecipients,
  broadcasts,
  type FrozenRecipient,
  recipientStates,
} from "../schema/broadcasts";
import { type Candidates, stillInAudience } from "./audience";
import { type Batch, endBatch, isFree, isOpen, isIn, leaseMs, splitBatch } from "./batches";
import type { Broadcast } from "./broadcasts";
import type { Segment } from "./segment";

/** A batch that this sender has for the time of its lease, with its recipients as the provider gets them. */
export type ClaimedBatch = Batch & { frozen: FrozenRecipient[] };

/** Who sends, and how. */
export type Claimer = {
  provider: string;
  /** Whether the provider sends a request once, however often it is repeated under its key. */
  isIdempotent: boolean;
  /** Recipients of one request. */
  perBatch: number;
  /** The token of an address's unsubscribe link. */
  tokenOf: (email: string) => string;
};
/** A broadcast that is being sent, with its segment. */
export type Sending = Pick<Broadcast, "row" | "cursor"> & { segment: Segment };
type Person = { row: number; email: string; name: string | null };

/**
 * Claims candidates and moves the cursor past them, in one commit: whoever is claimed is in a batch, and whoever is not
 * is found again. Each of them is looked at once more, because people leave. Returns undefined if the broadcast is no
 * longer being sent, or another sender has moved its cursor.
 */
export const claim = (db: Db, sending: Sending, { rows, scannedTo }: Candidates, by: Claimer, now: Date) =>
  db.write(async (orm): Promise<ClaimedBatch[] | undefined> => {
    const isAsRead = and(
      eq(broadcasts.row, sending.row),
      eq(broadcasts.state, "sending"),
      eq(broadcasts.cursor, sending.cursor),
    );
    const moved = await orm.update(broadcasts).set({ cursor: scannedTo }).where(isAsRead).returning(onlyRow).all();
    if (!moved.length) return;
    const people = await stillInAudience(orm, rows, sending.segment);
    const batches: ClaimedBatch[] = [];
    for (let i = 0; i < people.length; i += by.perBatch) {
      const batch = await insertClaim(orm, sending.row, people.slice(i, i + by.perBatch), by, now);
      if (batch) batches.push(batch);
    }
    return batches;
  });

const onlyRow = { row: broadcasts.row };

async function insertClaim(
  orm: Orm,
  broadcastRow: number,
  people: Person[],
  by: Claimer,
  now: Date,
): Promise<ClaimedBatch | undefined> {
  const empty = { broadcastRow, firstRecipient: 0, lastRecipient: 0, count: 0, nextAttemptAt: now, createdAt: now };
  const { row: batchRow } = await orm
    .insert(broadcastBatches)
    .values(empty)
    .returning({ row: broadcastBatches.row })
    .get();
  const claimed = await orm
    .insert(broadcastRecipients)
    .values(people.map(({ row }) => ({ broadcastRow, subscriberRow: row, batchRow })))
    .onConflictDoNothing() // the last word on "nobody twice"
    .returning({ row: broadcastRecipients.row, subscriberRow: broadcastRecipients.subscriberRow })
    .all();
  const recipientOf = new Map(claimed.map(({ row, subscriberRow }) => [subscriberRow, row]));
  const known = withRecipientRows(people, recipientOf);
  if (known.length) return begin(orm, batchRow, known, by, now);
  await orm.delete(broadcastBatches).where(eq(broadcastBatches.row, batchRow)).run();
}

/** The people whose rows are in the map, with the rows they are mapped to. */
const withRecipientRows = (people: Person[], rows: Map<number | null, number>): Person[] =>
  people.flatMap((person) => {
    const row = rows.get(person.row);
    return row === undefined ? [] : [{ ...person, row }];
  });

/** Freezes the recipients of a batch and begins its first attempt under its key. */
async function begin(orm: Orm, batchRow: number, people: Person[], by: Claimer, now: Date): Promise<ClaimedBatch> {
  const frozen = people.map(({ row, email, name }): FrozenRecipient => [row, email, name, by.tokenOf(email)]);
  const rows = people.map(({ row }) => row);
  const [firstRecipient, lastRecipient] = [Math.min(...rows), Math.max(...rows)];
  const attempt = { attempts: 1, firstAttemptAt: now, leaseUntil: new Date(now.getTime() + leaseMs) };
  const batch = await orm
    .update(broadcastBatches)
    .set({ firstRecipient, lastRecipient, count: rows.length, frozen, provider: by.provider, ...attempt })
    .where(eq(broadcastBatches.row, batchRow))
    .returning()
    .get();
  return { ...batch, frozen };
}

// ── Batches that were tried before ───────────────────────────────────────────────────────────

/** Whether a batch waits for its next attempt now; for a probe, whether it waits at all. */
const isDue = (broadcastRow: number, isProbe: boolean, now: Date) =>
  and(
    eq(broadcastBatches.broadcastRow, broadcastRow),
    isOpen,
    isFree(now),
    isProbe ? undefined : lte(broadcastBatches.nextAttemptAt, now),
  );

/** Whether there is a batch for `lease`. Cheap enough to ask before every claim. */
export const hasDue = (db: Db, broadcastRow: number, isProbe: boolean, now: Date) =>
  db.read(async (orm) => {
    const isMine = isDue(broadcastRow, isProbe, now);
    const due = orm.select({ row: broadcastBatches.row }).from(broadcastBatches).where(isMine);
    return (await due.limit(1).all()).length > 0;
  });

/**
 * Takes up to `limit` due batches again, small ones first: when a batch was split to find what is wrong with it, that is
 * soon known. A batch in doubt is repeated as it was, by the provider that got it; if that cannot be done without the
 * risk of sending twice, it is uncertain. A batch that was certainly refused is looked at afresh, because people leave.
 *
 * @param how.isProbe takes one that waits, to find out whether the provider answers again
 */
export const lease = (db: Db, sending: Sending, how: { limit: number; isProbe: boolean }, by: Claimer, now: Date) =>
  db.write(async (orm): Promise<ClaimedBatch[]> => {
    const isSending = and(eq(broadcasts.row, sending.row), eq(broadcasts.state, "sending"));
    if (!(await orm.select(onlyRow).from(broadcasts).where(isSending).get())) return [];
    const due = await orm
      .select()
      .from(broadcastBatches)
      .where(isDue(sending.row, how.isProbe, now))
      .orderBy(asc(broadcastBatches.count), asc(broadcastBatches.nextAttemptAt), asc(broadcastBatches.row))
      .limit(how.limit)
      .all();
    const taken: ClaimedBatch[] = [];
    for (const batch of due) {
      const again = await (isInDoubt(batch)
        ? repeat(orm, batch, by, now)
        : retry(orm, batch, sending.segment, by, now));
      if (again) taken.push(again);
    }
    return taken;
  });

/** Whether the provider may have it. What was only simulated went nowhere. */
const isInDoubt = ({ firstAttemptAt, provider }: Batch) => firstAttemptAt !== null && provider !== "simulated";

async function repeat(orm: Orm, batch: Batch, by: Claimer, now: Date): Promise<ClaimedBatch | undefined> {
  const { frozen } = batch;
  if (!frozen || !by.isIdempotent || batch.provider !== by.provider)
    return void (await endBatch(orm, batch, { batch: "uncertain", recipients: "uncertain" }, now));
  const attempt = { attempts: batch.attempts + 1, leaseUntil: new Date(now.getTime() + leaseMs) };
  await orm.update(broadcastBatches).set(attempt).where(eq(broadcastBatches.row, batch.row)).run();
  return { ...batch, ...attempt, frozen };
}

async function retry(orm: Orm, batch: Batch, segment: Segment, by: Claimer, now: Date) {
  const waiting = await orm
    .select({ row: broadcastRecipients.row, subscriberRow: broadcastRecipients.subscriberRow })
    .from(broadcastRecipients)
    .where(and(isIn(batch), eq(broadcastRecipients.state, recipientStates.claimed)))
    .orderBy(broadcastRecipients.row)
    .all();
  const mine = waiting.map(({ row }) => row);
  if (mine.length > by.perBatch) return void (await splitBatch(orm, batch, mine, now));
  const recipientOf = new Map(waiting.map(({ row, subscriberRow }) => [subscriberRow, row]));
  const still = await stillInAudience(
    orm,
    waiting.flatMap(({ subscriberRow }) => subscriberRow ?? []),
    segment,
  );
  const people = withRecipientRows(still, recipientOf);
  const stayed = new Set(people.map(({ row }) => row));
  const left = waiting.flatMap(({ row }) => (stayed.has(row) ? [] : row));
  if (!people.length) return void (await endBatch(orm, batch, { batch: "skipped", recipients: "skipped" }, now));
  if (left.length) await skip(orm, left);
  return begin(orm, batch.row, people, by, now);
}

const skip = (orm: Orm, rows: number[]) =>
  orm
    .update(broadcastRecipients)
    .set({ state: recipientStates.skipped })
    .where(inArray(broadcastRecipients.row, rows))
    .run();
