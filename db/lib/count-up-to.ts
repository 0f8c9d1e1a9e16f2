import { type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Orm } from "../engine/open";

/** How many rows there are, up to one more than `most`: that there are more is then known, and costs no more to know. */
export function countUpTo(orm: Orm, max: number, table: SQLiteTable, where: SQL | undefined): number {
  const some = orm
    .select({ one: sql`1` })
    .from(table)
    .where(where)
    .limit(max + 1)
    .as("some");
  return (
    orm
      .select({ n: sql<number>`count(*)` })
      .from(some)
      .get()?.n ?? 0
  );
}
