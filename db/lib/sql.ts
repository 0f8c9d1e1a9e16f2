import { and, gte, lt, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

/* SQL that both engines understand. If the second value is null, so is the result. */

export const largerOf = (a: SQL, b: SQL) => sql`case when ${a} >= ${b} then ${a} else ${b} end`;
export const smallerOf = (a: SQL, b: SQL) => sql`case when ${a} <= ${b} then ${a} else ${b} end`;

export type Period = {
  from?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
};

/** Condition: the time lies in the period, whose ends may be open. */
export const isWithin = (column: SQLiteColumn, { from, until }: Period): SQL | undefined =>
  and(from && gte(column, from), until && lt(column, until));
