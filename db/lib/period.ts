import { and, gte, lt, type SQL } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

export type Period = {
  from?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
};

/** Condition: the time lies in the period, whose ends may be open. */
export const isWithin = (column: SQLiteColumn, { from, until }: Period): SQL | undefined =>
  and(from && gte(column, from), until && lt(column, until));
