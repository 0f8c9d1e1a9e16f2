import { type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Orm } from "../engine/open";

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
