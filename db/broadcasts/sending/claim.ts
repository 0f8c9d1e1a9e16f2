import { and, eq, getTableColumns, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../../engine/open";
import { allowance } from "../../limits/hourly-limits";
import { lockUntilCommit } from "../../engine/dialects";
import { type WantedValues, withValues } from "../../newsletter/fields";
import type { FrozenSegment } from "../../newsletter/segments/definition";
import { broadcastBatches, broadcastRecipients, broadcasts, type FrozenRecipient } from "../../schema/broadcasts";
import { subscribers } from "../../schema/newsletter";
import { isAmong } from "../../lib/rows";
import { type Candidates, stillInAudience } from "../audience";
import { type Batch, leaseMs } from "./batches";
import type { Broadcast } from "../broadcasts";

/** A batch that this sender holds for the duration of its lease, with its recipients as passed to the provider. */
export type ClaimedBatch = Batch & { frozen: FrozenRecipient[] };

/** The sender, and the capabilities of its provider. */
export type Claimer = {
  provider: string;
  /** Whether the provider sends a request once, however often it is repeated under its key. */
  isIdempotent: boolean;
  /** Recipients per request. */
  perBatch: number;
  /** Returns the token of an address's unsubscribe link. */
  tokenOf: (email: string) => string;
};
/** A broadcast that is being sent, with its segment, and the values that its letter uses of each recipient. */
export type Sending = Pick<Broadcast, "row" | "cursor"> & {
  segment: FrozenSegment;
  isStep?: boolean;
  values?: WantedValues | undefined;
};
const { placeholder } = sql;
export type Person = {
  row: number;
  email: string;
  name: string | null;
  language: string | null;
  own?: Record<string, string>;
  /** Of a step: how often they had begun the sequence before. */
  run?: number;
};

/**
 * Claims candidates and moves the cursor past them, in one commit: everyone claimed is in a batch, and everyone else is
 * found again. Each candidate is checked once more, because people leave. Returns undefined if the broadcast is no
 * longer being sent, another sender has moved its cursor, or others have used up the hourly limit.
 *
 * @param isLimited whether there is such a limit, which other processes may use too
 */
export const claim = (
  db: Db,
  sending: Sending,
  { rows, scannedTo, isLimited }: Candidates & { isLimited: boolean },
  by: Claimer,
  now: Date,
) =>
  db.write(async (orm): Promise<ClaimedBatch[] | undefined> => {
    const { row, cursor } = sending;
    if (isLimited && (await lockedAllowance(orm, now)) < rows.length) return;
    if (!(await moveCursor(orm).all({ row, cursor, to: scannedTo })).length) return;
    const people = await withValues(orm, await stillInAudience(orm, rows, sending.segment), sending.values);
    const batches: ClaimedBatch[] = [];
    for (let i = 0; i < people.length; i += by.perBatch) {
      const batch = await insertClaim(
        orm,
        { broadcastRow: sending.row, people: people.slice(i, i + by.perBatch) },
        by,
        now,
      );
      if (batch) batches.push(batch);
    }
    return batches;
  }, guarded);

/** Guarded by the cursor of the broadcast, whose row it locks (docs/decisions/postgres.md). */
const guarded = { guarded: true } as const;

/** Returns how much of the hourly limit is left. Broadcasts are different rows, so only one sender counts at a time. */
export async function lockedAllowance(orm: Orm, now: Date): Promise<number> {
  await lockUntilCommit(orm)(orm, "broadcastEmails");
  return (await allowance(orm, "broadcastEmailsPerHour", now)).left;
}

const moveCursor = prepared((orm) => {
  const { row, state, cursor } = broadcasts;
  const isAsRead = and(eq(row, placeholder("row")), eq(state, "sending"), eq(cursor, placeholder("cursor")));
  const to = { cursor: sql`${placeholder("to")}` };
  return orm.update(broadcasts).set(to).where(isAsRead).returning({ row }).prepare();
});

const addBatch = prepared((orm) =>
  orm
    .insert(broadcastBatches)
    .values({
      broadcastRow: placeholder("broadcastRow"),
      firstRecipient: 0,
      lastRecipient: 0,
      count: 0,
      nextAttemptAt: placeholder("now"),
      createdAt: placeholder("now"),
    })
    .returning({ row: broadcastBatches.row })
    .prepare(),
);

/** Puts people into a batch whose first attempt begins; undefined if they all are in the broadcast already. */
export async function insertClaim(
  orm: Orm,
  { broadcastRow, people }: { broadcastRow: number; people: Person[] },
  by: Claimer,
  now: Date,
): Promise<ClaimedBatch | undefined> {
  const { row: batchRow } = await addBatch(orm).get({ broadcastRow, now });
  const recipients = withRecipientRows(people, await addRecipients(orm, broadcastRow, batchRow, people));
  if (recipients.length) return begin(orm, { batchRow, people: recipients }, by, now);
  await orm.delete(broadcastBatches).where(eq(broadcastBatches.row, batchRow)).run();
}

/**
 * Returns the recipients' rows by the rows of the subscribers. The unique index ensures that no one is in a broadcast
 * twice.
 */
async function addRecipients(orm: Orm, broadcastRow: number, batchRow: number, people: Person[]) {
  const rows = new Map<number, number>();
  for (const [run, some] of Map.groupBy(people, (person) => person.run ?? 0)) {
    const these = JSON.stringify(some.map(({ row }) => row));
    for (const { row, person } of await addSome(orm).all({ broadcastRow, run, batchRow, rows: these }))
      if (person !== null) rows.set(person, row);
  }
  return rows;
}

const addSome = prepared((orm) => {
  const { row, subscriberRow: person } = broadcastRecipients;
  const of: Record<string, unknown> = {
    broadcastRow: placeholder("broadcastRow"),
    subscriberRow: subscribers.row,
    run: placeholder("run"),
    batchRow: placeholder("batchRow"),
  };
  const columns = Object.entries(getTableColumns(broadcastRecipients));
  const values = columns.map(([name, column]) => sql`${of[name] ?? column.default ?? null}`); // Drizzle names them all
  const people = sql`select ${sql.join(values, sql`, `)} from ${subscribers} where ${isAmong(subscribers.row)}`;
  return orm.insert(broadcastRecipients).select(people).onConflictDoNothing().returning({ row, person }).prepare();
});

/** The people whose rows are in the map, with the recipients' rows. */
export const withRecipientRows = (people: Person[], rows: Map<number | null, number>): Person[] =>
  people.flatMap((person) => {
    const row = rows.get(person.row);
    return row === undefined ? [] : [{ ...person, row }];
  });

/**
 * Freezes the recipients of a batch and begins its first attempt under its key. @param of rows that stay in its range,
 * besides theirs: those of people who have left, or are settled, are found by it too
 */
export async function begin(
  orm: Orm,
  { batchRow, people, of = [] }: { batchRow: number; people: Person[]; of?: number[] | undefined },
  by: Claimer,
  now: Date,
): Promise<ClaimedBatch> {
  const frozen = people.map((person): FrozenRecipient => {
    const { row, email, name, language, own } = person;
    const frozenPerson = [row, email, name, by.tokenOf(email)] as const;
    if (own) return [...frozenPerson, language, own];
    return language ? [...frozenPerson, language] : [...frozenPerson];
  });
  const rows = people.map(({ row }) => row);
  const at = now.getTime();
  const batch = await beginBatch(orm).get({
    row: batchRow,
    first: Math.min(...rows, ...of),
    last: Math.max(...rows, ...of),
    count: rows.length,
    frozen: JSON.stringify(frozen),
    provider: by.provider,
    now: at,
    until: at + leaseMs,
  });
  return { ...batch, frozen };
}

const beginBatch = prepared((orm) =>
  orm
    .update(broadcastBatches)
    .set({
      firstRecipient: sql`${placeholder("first")}`,
      lastRecipient: sql`${placeholder("last")}`,
      count: sql`${placeholder("count")}`,
      frozen: sql`${placeholder("frozen")}`,
      provider: sql`${placeholder("provider")}`,
      attempts: 1,
      admittedAt: sql`${placeholder("now")}`,
      firstAttemptAt: sql`${placeholder("now")}`,
      leaseUntil: sql`${placeholder("until")}`,
    })
    .where(eq(broadcastBatches.row, placeholder("row")))
    .returning()
    .prepare(),
);
