import { and, asc, eq, gt, inArray, isNotNull, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import type { Db, Orm } from "../../engine/open";
import { contains } from "../../lib/fold";
import { isOneOf, listOf } from "../../lib/rows";
import { broadcastBatches, broadcastRecipients, recipientStates } from "../../schema/broadcasts";
import { subscriberEvents, subscribers } from "../../schema/newsletter";
import type { Broadcast } from "../broadcasts";

/*
 * The result of each recipient, as conditions. The counters of broadcasts (migration 0018) use the same ones, so a figure
 * and the list behind it agree. An accepted email has one reported result: who complained had it delivered, and a later
 * bounce outranks a delivery.
 */

const r = broadcastRecipients;
const isIn = (state: keyof typeof recipientStates) => eq(r.state, recipientStates[state]);

export const isDelivered = and(
  isIn("accepted"),
  or(isNotNull(r.complainedAt), and(isNull(r.bouncedAt), isNotNull(r.deliveredAt))),
);
export const isBounced = and(isIn("accepted"), isNotNull(r.bouncedAt), isNull(r.complainedAt));
const isUndecided = and(isIn("accepted"), isNull(r.deliveredAt), isNull(r.bouncedAt), isNull(r.complainedAt));
const isSoftBounced = and(isUndecided, isNotNull(r.softAt));
const isUnreported = and(isUndecided, isNull(r.softAt));

/*
 * The recipients of a broadcast and their results. There may be a million: nothing here reads more than a window at a
 * time.
 */

/** The outcomes by which a list can be filtered. */
const conditions = {
  accepted: isIn("accepted"),
  delivered: isDelivered,
  bounced: isBounced,
  soft: isSoftBounced,
  unreported: isUnreported,
  nonexistent: isNotNull(r.bouncedAt), // refused for it, or reported later
  complained: isNotNull(r.complainedAt),
  unsubscribed: isNotNull(r.unsubscribedAt),
  uncertain: isIn("uncertain"),
  failed: isIn("failed"),
  skipped: isIn("skipped"),
  simulated: isIn("simulated"),
} satisfies Record<string, SQL | undefined>;
export type Outcome = keyof typeof conditions;

export type RecipientFilter = {
  outcome?: Outcome | undefined;
  /** Part of the address or name, ignoring case. */
  q?: string | undefined;
};

/** Returns how many recipients match, if a counter of the broadcast says so: a million are not counted for a list. */
export function countOf(broadcast: Broadcast, { outcome, q }: RecipientFilter): number | undefined {
  if (q || outcome === "unreported" || outcome === "nonexistent") return;
  return broadcast[outcome === undefined ? "claimed" : outcome === "soft" ? "softBounced" : outcome];
}

/**
 * A recipient in a list; without an address once the subscriber is deleted. `leaving`: the record of how they
 * unsubscribed by this email, if there is one.
 */
export type Recipient = Awaited<ReturnType<typeof inWindow>>[number] & { leaving?: Leaving | undefined };
export type Leaving = Omit<Awaited<ReturnType<typeof leavingsOf>>[number], "row">;

const windowRows = 20_000;

/**
 * Returns up to `size` recipients after a row, in the order of sending. `next`: the row to continue after, if there are
 * more.
 */
export async function page(
  db: Db,
  broadcast: Pick<Broadcast, "row">,
  filter: RecipientFilter,
  { after, size }: { after: number; size: number },
): Promise<{ rows: Recipient[]; next: number | undefined }> {
  const { first, last } = await db.read((orm) => rangeOf(orm, broadcast.row));
  const rows: Awaited<ReturnType<typeof inWindow>> = [];
  for (let at = Math.max(after, first - 1); at < last && rows.length <= size; at += windowRows) {
    const upTo = Math.min(at + windowRows, last);
    rows.push(
      ...(await db.read((orm) =>
        inWindow(orm, broadcast.row, filter, { after: at, upTo, limit: size + 1 - rows.length }),
      )),
    );
    await new Promise((turn) => setImmediate(turn));
  }
  const pageRows = await withLeavings(db, rows.slice(0, size));
  return { rows: pageRows, next: rows.length > size ? pageRows.at(-1)?.row : undefined };
}

/** All recipients that match, a thousand at a time. */
export async function* batches(db: Db, broadcast: Pick<Broadcast, "row">, filter: RecipientFilter) {
  for (let after: number | undefined = 0; after !== undefined;) {
    const batch = await page(db, broadcast, filter, { after, size: 1_000 });
    yield batch.rows;
    after = batch.next;
  }
}

/** Returns the range of rows that contains its recipients, among those of other broadcasts. */
export async function rangeOf(orm: Orm, broadcastRow: number): Promise<{ first: number; last: number }> {
  const range = await orm
    .select({
      first: sql<number>`coalesce(min(${broadcastBatches.firstRecipient}), 0)`.mapWith(Number),
      last: sql<number>`coalesce(max(${broadcastBatches.lastRecipient}), 0)`.mapWith(Number),
    })
    .from(broadcastBatches)
    .where(eq(broadcastBatches.broadcastRow, broadcastRow))
    .get();
  return range ?? { first: 0, last: 0 };
}

/** What happened to the email of a recipient. */
export const resultColumns = {
  row: r.row,
  state: r.state,
  acceptedAt: r.acceptedAt,
  deliveredAt: r.deliveredAt,
  softAt: r.softAt,
  bouncedAt: r.bouncedAt,
  complainedAt: r.complainedAt,
  unsubscribedAt: r.unsubscribedAt,
  error: r.error,
};

const inWindow = (
  orm: Orm,
  broadcastRow: number,
  { outcome, q }: RecipientFilter,
  { after, upTo, limit }: { after: number; upTo: number; limit: number },
) =>
  orm
    .select({
      ...resultColumns,
      subscriberId: subscribers.id,
      email: subscribers.email,
    })
    .from(r)
    .leftJoin(subscribers, eq(subscribers.row, r.subscriberRow))
    .where(
      and(
        gt(r.row, after),
        lte(r.row, upTo),
        eq(r.broadcastRow, broadcastRow),
        outcome && conditions[outcome],
        q ? sql`${subscribers.folded} like ${contains(q)} escape '\\'` : undefined,
      ),
    )
    .orderBy(r.row)
    .limit(limit)
    .all();

/** Adds how those who unsubscribed by this email did so. */
async function withLeavings(db: Db, rows: Recipient[]): Promise<Recipient[]> {
  const left = rows.flatMap(({ row, unsubscribedAt }) => (unsubscribedAt ? [row] : []));
  if (!left.length) return rows;
  const leavings = new Map((await db.read((orm) => leavingsOf(orm, left))).map(({ row, ...rest }) => [row, rest]));
  return rows.map((recipient) => ({ ...recipient, leaving: leavings.get(recipient.row) }));
}

const e = subscriberEvents;

/**
 * Reads the events by which these recipients were counted as unsubscribed: everything or one topic, through the link of
 * the email, and recorded in the same commit.
 */
const leavingsOf = (orm: Orm, rows: number[]) =>
  orm
    .select({ row: r.row, kind: e.kind, via: e.via, note: e.note, probableScanner: e.probableScanner })
    .from(r)
    .innerJoin(subscribers, eq(subscribers.row, r.subscriberRow))
    .innerJoin(subscriberEvents, and(eq(e.subscriberId, subscribers.id), eq(e.createdAt, r.unsubscribedAt)))
    .where(
      and(
        isOneOf(r.row, listOf(rows)),
        inArray(e.kind, ["unsubscribed", "changed"]),
        inArray(e.via, ["link", "one-click", "page"]),
      ),
    )
    .orderBy(asc(r.row), asc(e.kind)) // everything after a topic
    .all();
