import { and, eq, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Db, Orm } from "../../engine/open";
import { countOfState, isMailable, isNameTrusted, subscriberCounts, subscribers } from "../../schema/newsletter";
import { isEverybody, type Segment, segmentCondition } from "./segment";

/* The recipients of a broadcast: mailable subscribers (schema/newsletter.ts) in its segment. */

/**
 * Rows that one read examines. However small the segment is, a read then blocks the event loop for milliseconds only.
 */
const windowRows = { candidates: 10_000, count: 20_000 };

const isInAudience = (segment: Segment) => and(isMailable, segmentCondition(segment));

/**
 * The subscribers in a range of rows. The limit keeps SQLite from merging this query with the one around it, for which
 * it would choose the index of a source or state and read all of that.
 */
const inRange = (after: number, upTo: number) => {
  const { row, state, suppressedAt, pendingAt, pausedUntil, confirmedAt, source, createdAt } = subscribers;
  const columns = sql.join([row, state, suppressedAt, pendingAt, pausedUntil, confirmedAt, source, createdAt], sql`, `);
  return sql`(select ${columns} from ${subscribers} where ${row} > ${after} and ${row} <= ${upTo}
    order by ${row} limit ${upTo - after}) as ${subscribers}`;
};

type Progress = { cursor: number; ceiling: number };
/** Subscribers to claim, and the last row that was examined. */
export type Candidates = { rows: number[]; scannedTo: number };

/** Returns the next subscribers of the audience after the cursor, at most `size`, in order. */
export async function candidates(db: Db, at: Progress, segment: Segment, size: number): Promise<Candidates> {
  const rows: number[] = [];
  let scannedTo = at.cursor;
  while (rows.length < size && scannedTo < at.ceiling) {
    const upTo = Math.min(scannedTo + windowRows.candidates, at.ceiling);
    const inWindow = await db.read((orm) =>
      rowsIn(orm, segment, { after: scannedTo, upTo, limit: size - rows.length }),
    );
    rows.push(...inWindow);
    scannedTo = rows.length < size ? upTo : (inWindow.at(-1) ?? upTo);
    if (rows.length < size) await letOthersRun();
  }
  return { rows, scannedTo };
}

async function rowsIn(
  orm: Orm,
  segment: Segment,
  { after, upTo, limit }: { after: number; upTo: number; limit: number },
): Promise<number[]> {
  const subscriberRows = await orm.values<[number]>(sql`select ${subscribers.row} from ${inRange(after, upTo)}
    where ${isInAudience(segment)} order by ${subscribers.row} limit ${limit}`);
  return subscriberRows.map(([row]) => Number(row));
}

/** Counts the audience exactly. */
export async function countAudience(db: Db, segment: Segment): Promise<number> {
  if (isEverybody(segment)) return db.read(mailableCount);
  const last = await db.read(lastRow);
  let total = 0;
  for (let after = 0; after < last; after += windowRows.count) {
    total += await db.read((orm) => countIn(orm, segment, after, Math.min(after + windowRows.count, last)));
    await letOthersRun();
  }
  return total;
}

async function countIn(orm: Orm, segment: Segment, after: number, upTo: number): Promise<number> {
  const counted = await orm.values<[number]>(
    sql`select count(*) from ${inRange(after, upTo)} where ${isInAudience(segment)}`,
  );
  return Number(counted[0]?.[0] ?? 0);
}

async function mailableCount(orm: Orm): Promise<number> {
  const mailable = eq(subscriberCounts.state, "mailable");
  return (await orm.select({ n: countOfState }).from(subscriberCounts).where(mailable).get())?.n ?? 0;
}

/** Returns the largest row of a subscriber; 0 if there is none. */
export async function lastRow(orm: Orm): Promise<number> {
  const last = sql<number>`coalesce(max(${subscribers.row}), 0)`.mapWith(Number);
  return (await orm.select({ last }).from(subscribers).get())?.last ?? 0;
}

const letOthersRun = () => new Promise((turn) => setImmediate(turn));

/**
 * Returns those of the subscribers who are still in the audience, in order. A name is returned only if it is trusted.
 */
export async function stillInAudience(orm: Orm, rows: number[], segment: Segment) {
  if (!rows.length) return [];
  const { row, email, name, language } = subscribers;
  const people = await orm.values<[number, string, string | null, number, string | null]>(sql`
    select ${row}, ${email}, ${name}, ${isNameTrusted}, ${language} from ${theseRows(rows)}
    where ${isInAudience(segment)} order by ${row}`);
  return people.map(([person, address, called, isTrusted, reads]) => ({
    row: Number(person),
    email: address,
    name: Number(isTrusted) ? called : null,
    language: reads,
  }));
}

/** Subscribers by their rows, behind a limit for the same reason as in `inRange`. */
const theseRows = (rows: number[]) =>
  sql`(select * from ${subscribers} where ${isOneOf(subscribers.row, rows)} limit ${rows.length}) as ${subscribers}`;

/**
 * Condition: one of these rows. As text, because Drizzle takes longer to bind a hundred parameters than SQLite to read
 * them.
 */
export const isOneOf = (row: SQLiteColumn, rows: number[]) =>
  sql`${row} in (${sql.raw(rows.map((each) => Math.trunc(each)).join(", "))})`;
