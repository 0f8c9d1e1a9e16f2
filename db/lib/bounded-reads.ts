import { and, gt, lte, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Db, Orm } from "../engine/open";

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
