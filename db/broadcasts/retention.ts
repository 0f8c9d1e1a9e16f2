import { and, eq, inArray, isNotNull, isNull, lt, or } from "drizzle-orm";
import type { Db } from "../engine/open";
import { deleteInCommits } from "../lib/bulk";
import { trashRetentionMs } from "../lib/time";
import { broadcastBatches, broadcastRecipients, broadcasts } from "../schema/broadcasts";
import { endedStates } from "./rules";

/** How long a broadcast's recipients are kept. After that only the figures remain. */
const detailRetentionMs = 396 * 86_400_000; // 13 months

/**
 * Deletes the recipients of broadcasts that ended 13 months ago, and broadcasts that were in the trash for 30 days
 * (D39). A thousand rows per commit, so that requests run in between.
 */
export async function deleteExpired(db: Db, now: Date): Promise<void> {
  const before = (ms: number) => new Date(now.getTime() - ms);
  const isTrash = and(isNotNull(broadcasts.deletedAt), lt(broadcasts.deletedAt, before(trashRetentionMs)));
  const isOld = and(isNull(broadcasts.detailGoneAt), lt(broadcasts.finishedAt, before(detailRetentionMs)));
  const old = await db.read((orm) =>
    orm
      .select()
      .from(broadcasts)
      .where(or(isTrash, and(isOld, inArray(broadcasts.state, endedStates))))
      .limit(100)
      .all(),
  );
  for (const { row } of old) {
    await deleteDetails(db, row);
    await db.write(async (orm) => {
      const { length } = await orm
        .delete(broadcasts)
        .where(and(eq(broadcasts.row, row), isTrash))
        .returning()
        .all();
      if (!length) await orm.update(broadcasts).set({ detailGoneAt: now }).where(eq(broadcasts.row, row)).run();
    });
  }
}

/** Deletes the recipients and batches of a broadcast. Its counters stay. */
export async function deleteDetails(db: Db, broadcastRow: number): Promise<void> {
  for (const table of [broadcastRecipients, broadcastBatches])
    await deleteInCommits(db, { table, key: [table.row], where: eq(table.broadcastRow, broadcastRow) });
}
