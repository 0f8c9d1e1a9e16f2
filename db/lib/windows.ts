import { and, gt, lte, type SQL } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Db } from "../engine/open";

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
