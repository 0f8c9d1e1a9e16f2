import { and, count, gt, gte, lt, lte, type Placeholder, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { byEngine, forUpdate } from "../engine/dialects";
import type { Db, Orm } from "../engine/open";

/** A requested page of a list: its number, from 1, and the rows per page. */
export type PageRequest = { page: number; per: number };

/** Limits the page number to the existing pages. One past the end becomes the last; an empty list has one page. */
export const pageWithin = ({ page, per }: PageRequest, total: number): number =>
  Math.max(1, Math.min(page, Math.ceil(total / per)));

/** Returns one page of the `total` matching rows. @param rowsAt reads `limit` rows, starting at `offset` */
export async function pageOf<Row>(
  total: number,
  request: PageRequest,
  rowsAt: (limit: number, offset: number) => Row[] | Promise<Row[]>,
) {
  const page = pageWithin(request, total);
  return { rows: await rowsAt(request.per, (page - 1) * request.per), total, page };
}

/** Counts the matching rows of the table exactly. */
export const countRows = async (orm: Orm, table: SQLiteTable, where: SQL | undefined): Promise<number> =>
  (await orm.select({ n: count() }).from(table).where(where).get())?.n ?? 0;

/** Counts rows, up to one more than `max`: enough to know that there are more, at no further cost. */
export async function countUpTo(orm: Orm, max: number, table: SQLiteTable, where: SQL | undefined): Promise<number> {
  const some = orm
    .select({ one: sql`1` })
    .from(table)
    .where(where)
    .limit(max + 1)
    .as("some");
  return (
    (
      await orm
        .select({ n: sql<number>`count(*)` })
        .from(some)
        .get()
    )?.n ?? 0
  );
}

/**
 * If no index finds a text, the search over everything reads this many of the newest rows. The subject's own list reads
 * all of them.
 */
export const newestSearched = 2_000;

/** The result of a search: the first rows, and their number; `isMore` if there may be others that were not read. */
export type FoundRows<Row> = { rows: Row[]; total: number; isMore: boolean };

type LockRows = (orm: Orm, table: SQLiteTable & { row: SQLiteColumn }, where: SQL | undefined) => Promise<void>;

const locker = byEngine<LockRows>({
  sqlite: async () => {}, // SQLite has only one write transaction at a time
  postgres: async (orm, table, where) =>
    void (await orm.select({ row: table.row }).from(table).where(where).orderBy(forUpdate(table.row)).all()),
});

/**
 * Locks rows of a table until the transaction ends, in the order of their numbers: of two that lock several, neither
 * waits for the other.
 */
export const lockInOrder: LockRows = (orm, table, where) => locker(orm)(orm, table, where);

const windowRows = 5_000;

/**
 * Yields a condition for each window of a table's rows, in the order of their keys, so that a scan without an index
 * holds up no one: requests run in between.
 */
export async function* windowsOf(db: Db, table: SQLiteTable, key: SQLiteColumn): AsyncGenerator<SQL | undefined> {
  for (let last: unknown; ;) {
    const above = last === undefined ? undefined : gt(key, last);
    const bound = await db.read((orm) =>
      orm
        .select({ key })
        .from(table)
        .where(above)
        .orderBy(key)
        .limit(1)
        .offset(windowRows - 1)
        .get(),
    );
    yield and(above, bound && lte(key, bound.key));
    if (!bound) return;
    last = bound.key;
    await new Promise((turn) => setImmediate(turn));
  }
}

/** Returns every `source` in a table, at most a hundred. Jumps along the index instead of reading all of it. */
export const sourcesIn = async (orm: Orm, table: SQLiteTable): Promise<string[]> =>
  (
    await orm.values<[string]>(
      sql`
      with recursive next(source) as (
        select min(source) from ${table}
        union all
        select (select min(source) from ${table} where source > next.source) from next where next.source is not null
      )
      select source from next where source is not null limit 100`,
    )
  ).map(([source]) => source);

/** Row IDs found by a query. They remain one string, which is passed back to the database unparsed. */
type RowList = { count: number; list: string };

/** Returns the rows that `question` finds, up to one more than `limit`: enough to know that there are more. */
export async function firstRows(orm: Orm, question: SQL, limit: number): Promise<RowList> {
  const rows = sql`with found("row") as (${question} limit ${limit + 1}) select count(*), json_group_array("row") from found`;
  const [[count, list] = [0, "[]"]] = await orm.values<[number, string]>(rows);
  return { count, list };
}

/** Returns all rows that `question` finds. Reading them as one string costs half as much as reading separate rows. */
export async function allRows(orm: Orm, question: SQL): Promise<number[]> {
  const rows = sql`with found("row") as (${question}) select json_group_array("row") from found`;
  return JSON.parse((await orm.values<[string]>(rows))[0]?.[0] ?? "[]");
}

/** Condition: one of these rows; with `limit`, one of the first of them. */
export const isOneOf = (row: SQLiteColumn | SQL, { list }: { list: string | Placeholder }, limit?: number) =>
  sql`${row} in (select cast(value as bigint) from json_each(${list})${limit === undefined ? sql`` : sql` limit ${limit}`})`;

/** Condition of a prepared statement: one of the rows in the parameter `rows`, as JSON. */
export const isAmong = (row: SQLiteColumn) => isOneOf(row, { list: sql.placeholder("rows") });

/** Condition: has one of these IDs, which are one parameter, however many there are. */
export const hasId = (id: SQLiteColumn, ids: string[]) =>
  sql`${id} in (select value from json_each(${JSON.stringify(ids)}))`;

export type Period = {
  from?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
};

/** Condition: the time lies in the period, whose ends may be open. */
export const isWithin = (column: SQLiteColumn, { from, until }: Period): SQL | undefined =>
  and(from && gte(column, from), until && lt(column, until));

/** Values by a key. */
export class Groups<Key, Value> {
  readonly all = new Map<Key, Value[]>();
  add(key: Key, value: Value) {
    const values = this.all.get(key);
    if (values) values.push(value);
    else this.all.set(key, [value]);
  }
}

/** Rows as the list that `isOneOf` takes. */
export const listOf = (rows: number[]) => ({ count: rows.length, list: JSON.stringify(rows) });
