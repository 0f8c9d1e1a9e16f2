import { and, type SQL, sql } from "drizzle-orm";
import type { Db, Orm } from "../../engine/open";
import { subscribers } from "../../schema/newsletter";
import { type Range, rowsWithTag, rowsWithTopic, segmentCondition } from "./condition";
import type { FrozenSegment } from "./definition";

/*
 * Finds and counts the people in a segment. However few they are among a million, each read examines so many rows only,
 * and requests run between reads.
 */

const windowRows = 5_000;
/** A tag or topic that so few have leads: its people are looked at, and no one else. */
const leading = { share: 0.02, rowsPerRead: 1_000 };

/** A range of rows, and what a read has to examine of it. */
type Window = Range & { people: SQL };

/** Where to look: after a row, up to another. */
type Span = { after?: number; upTo: number };

/** Yields the ranges in which the segment's people are, in order. */
export async function* windowsOf(
  db: Db,
  segment: FrozenSegment,
  { after = 0, upTo: end }: Span,
): AsyncGenerator<Window> {
  const lead = await db.read((orm) => leadOf(orm, segment, end));
  for (let last = after; last < end;) {
    const upTo = lead ? await db.read((orm) => endOfLead(orm, lead, last, end)) : Math.min(last + windowRows, end);
    yield { after: last, upTo, people: lead ? peopleWith(lead, last, upTo) : peopleIn(last, upTo) };
    last = upTo;
    await letOthersRun();
  }
}

const letOthersRun = () => new Promise((turn) => setImmediate(turn));

/** Returns the rows of subscribers with the rarest tag or topic that all must have, if it is rare. */
async function leadOf(orm: Orm, { all = [] }: FrozenSegment, end: number): Promise<SQL | undefined> {
  const required = all.flatMap((node) => {
    if (!("field" in node) || (node.field !== "tag" && node.field !== "topic")) return [];
    const isRequired = node.is === "every" || (node.is === "any" && node.of.length === 1);
    return isRequired ? node.of.map(node.field === "tag" ? rowsWithTag : rowsWithTopic) : [];
  });
  let least = Math.floor(end * leading.share);
  let lead: SQL | undefined;
  for (const rows of required) {
    const [[count] = [0]] = await orm.values<[number]>(
      sql`select count(*) from (select 1 ${rows} limit ${least + 1}) as few`,
    );
    if (Number(count) > least) continue;
    least = Number(count);
    lead = rows;
  }
  return lead;
}

const subscriberRow = sql.raw("subscriber_row");

async function endOfLead(orm: Orm, lead: SQL, after: number, end: number): Promise<number> {
  const rows = await orm.values<[number]>(sql`select ${subscriberRow} ${lead} and ${subscriberRow} > ${after}
    and ${subscriberRow} <= ${end} order by ${subscriberRow} limit 1 offset ${leading.rowsPerRead - 1}`);
  return Number(rows[0]?.[0] ?? end);
}

const { row, id, emailKey, folded, state, suppressedAt, pendingAt, pausedUntil, confirmedAt } = subscribers;
const { unsubscribedAt, source, language, createdAt, updatedAt } = subscribers;
/** What conditions may be about. */
const columns = sql`${row}, ${id}, ${emailKey}, ${folded}, ${state}, ${suppressedAt}, ${pendingAt}, ${pausedUntil},
  ${confirmedAt}, ${unsubscribedAt}, ${source}, ${language}, ${createdAt}, ${updatedAt}`;

/**
 * The subscribers in a range of rows. The limit keeps SQLite from merging this query with the one around it, for which
 * it would choose the index of a source or state and read all of that.
 */
const peopleIn = (after: number, upTo: number) =>
  sql`(select ${columns} from ${subscribers} where ${row} > ${after} and ${row} <= ${upTo}
    order by ${row} limit ${upTo - after}) as ${subscribers}`;

const peopleWith = (lead: SQL, after: number, upTo: number) =>
  sql`(select ${columns} from ${subscribers} where ${row} in (select ${subscriberRow} ${lead}
    and ${subscriberRow} > ${after} and ${subscriberRow} <= ${upTo}) order by ${row} limit ${leading.rowsPerRead})
    as ${subscribers}`;

/** The segment, and what else must hold, such as that they are active. */
export type Wanted = { segment: FrozenSegment; where?: SQL | undefined };

/** Returns those in a window, in order, at most so many. */
export async function rowsIn(orm: Orm, window: Window, { segment, where }: Wanted, limit: number): Promise<number[]> {
  const rows = await orm.values<[number]>(sql`select ${row} from ${window.people}
    where ${isWanted(window, segment, where)} order by ${row} limit ${limit}`);
  return rows.map(([each]) => Number(each));
}

const isWanted = (range: Range, segment: FrozenSegment, where: SQL | undefined) =>
  and(where, segmentCondition(segment, range)) ?? sql`1 = 1`;

/** Counts those in a window. */
async function countIn(orm: Orm, window: Window, { segment, where }: Wanted): Promise<number> {
  const rows = await orm.values<[number]>(
    sql`select count(*) from ${window.people} where ${isWanted(window, segment, where)}`,
  );
  return Number(rows[0]?.[0] ?? 0);
}

/** Counts everyone in the segment exactly. */
export async function countPeople(db: Db, wanted: Wanted): Promise<number> {
  let total = 0;
  for await (const window of windowsOf(db, wanted.segment, { upTo: await db.read(lastRow) }))
    total += await db.read((orm) => countIn(orm, window, wanted));
  return total;
}

/** Counts everyone in the segment exactly, and returns the rows of the first of them, in order. */
export async function firstPeople(db: Db, wanted: Wanted, limit: number) {
  const rows: number[] = [];
  let total = 0;
  for await (const window of windowsOf(db, wanted.segment, { upTo: await db.read(lastRow) })) {
    const left = limit - rows.length;
    const next = left > 0 ? await db.read((orm) => rowsIn(orm, window, wanted, left)) : [];
    rows.push(...next);
    total += next.length < left ? next.length : await db.read((orm) => countIn(orm, window, wanted));
  }
  return { rows, total };
}

/** Yields the rows of everyone in the segment, in order. */
export async function* peopleInSegment(db: Db, wanted: Wanted, span?: Span): AsyncGenerator<number[]> {
  const all = span ?? { upTo: await db.read(lastRow) };
  for await (const window of windowsOf(db, wanted.segment, all)) {
    const rows = await db.read((orm) => rowsIn(orm, window, wanted, windowRows));
    if (rows.length) yield rows;
  }
}

/** Returns the largest row of a subscriber; 0 if there is none. */
export async function lastRow(orm: Orm): Promise<number> {
  const last = sql<number>`coalesce(max(${row}), 0)`.mapWith(Number);
  return (await orm.select({ last }).from(subscribers).get())?.last ?? 0;
}
