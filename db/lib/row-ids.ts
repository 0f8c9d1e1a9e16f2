import { type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Orm } from "../engine/open";

/** Rows that a question found. They are one text, which goes back to the database as it came: none becomes an object. */
type RowList = { count: number; list: string };

/** The rows that `question` finds, up to one more than `most`: that there are more is then known. */
export function firstRows(orm: Orm, question: SQL, most: number): RowList {
  const rows = sql`with found(row) as (${question} limit ${most + 1}) select count(*), json_group_array(row) from found`;
  const [[count, list] = [0, "[]"]] = orm.values<[number, string]>(rows);
  return { count, list };
}

/** All rows that `question` finds. Read as one text they cost half of what rows of their own cost. */
export function allRows(orm: Orm, question: SQL): number[] {
  const rows = sql`with found(row) as (${question}) select json_group_array(row) from found`;
  return JSON.parse(orm.values<[string]>(rows)[0]?.[0] ?? "[]");
}

/** "One of these rows"; with `most`, one of the first of them. */
export const isOneOf = (row: SQLiteColumn | SQL, { list }: RowList, most = -1) =>
  sql`${row} in (select value from json_each(${list}) limit ${most})`;
