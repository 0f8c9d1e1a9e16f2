import { count, type SQL } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Orm } from "../engine/open";

/** A page of a list as it was asked for: its number from 1, and the rows that a page has. */
export type PageRequest = { page: number; per: number };

/** The number of a page that there is. One past the end is the last one; an empty list has one page. */
export const pageWithin = ({ page, per }: PageRequest, total: number): number =>
  Math.max(1, Math.min(page, Math.ceil(total / per)));

/** One page of the `total` rows that match. @param rowsAt reads `limit` of them, from `offset` on */
export function pageOf<Row>(total: number, request: PageRequest, rowsAt: (limit: number, offset: number) => Row[]) {
  const page = pageWithin(request, total);
  return { rows: rowsAt(request.per, (page - 1) * request.per), total, page };
}

/** How many rows of the table match, exactly. */
export const countRows = (orm: Orm, table: SQLiteTable, where: SQL | undefined): number =>
  orm.select({ n: count() }).from(table).where(where).get()?.n ?? 0;
