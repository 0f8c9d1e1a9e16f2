import { type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Db, Orm } from "../engine/open";

/** The rows a bulk action applies to: these, or all that match a filter. */
export type Selection<Filter> = { ids: string[] } | { matching: Filter };
/** The same, or the rows that an earlier action changed at that moment, for undoing it. */
export type UndoableSelection<Filter> = Selection<Filter> | { changedAt: Date };

/** The rows a bulk action changed: how many, and the first one, to name it if it is the only one. */
export type Changed<Row> = { count: number; first: Row | undefined };

/** Rows changed per commit, so that requests run in between. */
export const rowsPerCommit = 1_000;
const giveWayMs = 50;

/**
 * Repeats `step`, each time in a commit of its own, until it changes fewer than `rowsPerCommit` rows. To terminate,
 * `step` must not select rows that it has already changed.
 *
 * @param step changes at most `rowsPerCommit` rows and returns them
 */
export async function changeInCommits<Row>(db: Db, step: (orm: Orm) => Promise<Row[]>): Promise<Changed<Row>> {
  const changed: Changed<Row> = { count: 0, first: undefined };
  for (;;) {
    const rows = await db.write(step);
    changed.count += rows.length;
    changed.first ??= rows[0];
    if (rows.length < rowsPerCommit) return changed;
    await giveWay(db);
  }
}

/** Lets other processes commit. On PostgreSQL, what waited for a commit of this one has to start again. */
export const giveWay = async (db: Db): Promise<void> => (db.isShared ? Bun.sleep(giveWayMs) : undefined);

/** The rows to delete: the table, its primary key, and a condition. */
type Unwanted = { table: SQLiteTable; key: (SQLiteColumn | SQL)[]; where: SQL | undefined };

/** Deletes at most so many of the rows, and returns how many. */
export async function deleteSome(orm: Orm, { table, key, where }: Unwanted, max = rowsPerCommit): Promise<number> {
  const columns = sql.join(key, sql`, `);
  const isOneOfSome = sql`(${columns}) in (select ${columns} from ${table} where ${where} limit ${max})`;
  return (
    await orm
      .delete(table)
      .where(isOneOfSome)
      .returning({ one: sql`1` })
      .all()
  ).length;
}

/**
 * Deletes the rows in several commits, and returns how many there were. A single statement might exceed PostgreSQL's
 * statement timeout, and then the rows would never be deleted.
 *
 * @param perCommit fewer if much else is deleted with each row
 */
export async function deleteInCommits(db: Db, unwanted: Unwanted, perCommit = rowsPerCommit): Promise<number> {
  for (let count = 0; ;) {
    const deleted = await db.write((orm) => deleteSome(orm, unwanted, perCommit));
    count += deleted;
    if (deleted < perCommit) return count;
  }
}

type Target = { targetId?: string | undefined; target?: string | undefined; details?: Record<string, string> };

/**
 * How the audit log names the target of a bulk action: the row itself if there is one, otherwise the number of rows.
 */
export const auditTarget = <Row extends { id: string }>(
  first: Row | undefined,
  count: number,
  nameOf: (row: Row) => string,
  details: Record<string, string> = {},
): Target =>
  first && count === 1
    ? { targetId: first.id, target: nameOf(first), details }
    : { details: { ...details, count: String(count) } };
