import { type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Orm } from "../engine/open";

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
export const isOneOf = (row: SQLiteColumn | SQL, { list }: RowList, limit?: number) =>
  sql`${row} in (select cast(value as bigint) from json_each(${list})${limit === undefined ? sql`` : sql` limit ${limit}`})`;

/** Condition: has one of these IDs, which are one parameter, however many there are. */
export const hasId = (id: SQLiteColumn, ids: string[]) =>
  sql`${id} in (select value from json_each(${JSON.stringify(ids)}))`;
