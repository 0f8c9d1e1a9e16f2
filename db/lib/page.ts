import { count, type SQL } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Orm } from "../engine/open";

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
