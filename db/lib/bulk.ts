import type { Db, Orm } from "../engine/open";

/** The rows that an action is about: these, or all that match. */
export type Selection<Filter> = { ids: string[] } | { matching: Filter };
/** The same, or those that one earlier action changed at that moment, to take it back. */
export type UndoableSelection<Filter> = Selection<Filter> | { changedAt: Date };

/** What a bulk action changed: how many rows, and the first of them, to name it when it is the only one. */
export type Changed<Row> = { count: number; first: Row | undefined };

/** Rows changed in one commit: requests get their turn in between. */
export const rowsPerCommit = 1_000;

/**
 * Repeats `step`, each time in a commit of its own, until it changes fewer than `rowsPerCommit` rows. A row that was
 * changed must not be taken again: that is what ends it.
 *
 * @param step changes at most `rowsPerCommit` rows and returns them
 */
export async function changeInCommits<Row>(db: Db, step: (orm: Orm) => Row[]): Promise<Changed<Row>> {
  const changed: Changed<Row> = { count: 0, first: undefined };
  for (;;) {
    const rows = await db.write(step);
    changed.count += rows.length;
    changed.first ??= rows[0];
    if (rows.length < rowsPerCommit) return changed;
  }
}

type Target = { targetId?: string | undefined; target?: string | undefined; details?: Record<string, string> };

/** How the audit log names the rows of one action: the row itself, or how many there were. */
export const auditTarget = <Row extends { id: string }>(
  first: Row | undefined,
  count: number,
  nameOf: (row: Row) => string,
  details: Record<string, string> = {},
): Target =>
  first && count === 1
    ? { targetId: first.id, target: nameOf(first), details }
    : { details: { ...details, count: String(count) } };
