import { and, eq, inArray, isNotNull, isNull, lt, ne, not, or } from "drizzle-orm";
import { dayMs, trashRetentionMs } from "../lib/time";
import type { Db } from "../engine/open";
import { deleteInCommits } from "../lib/bulk";
import { broadcastBatches, broadcastRecipients, broadcasts } from "../schema/broadcasts";
import { endedStates } from "./rules";
import { isNoStep } from "./steps";

/** How long a broadcast's recipients are kept. After that only the figures remain. */
const detailRetentionMs = 396 * dayMs; // 13 months

/**
 * Deletes the recipients of broadcasts that ended 13 months ago, and broadcasts that were in the trash for 30 days
 * (D39). A thousand rows per commit, so that requests run in between.
 */
export async function deleteExpired(db: Db, now: Date): Promise<void> {
  await deleteOldSteps(db, new Date(now.getTime() - detailRetentionMs));
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

/** Emails of sequences are sent for years: whoever got one 13 months ago is deleted from it. */
async function deleteOldSteps(db: Db, before: Date): Promise<void> {
  const steps = await db.read((orm) =>
    orm
      .select({ row: broadcasts.row })
      .from(broadcasts)
      .where(and(not(isNoStep), inArray(broadcasts.state, ["sending", "paused"])))
      .all(),
  );
  for (const { row } of steps) {
    const { acceptedAt, broadcastRow } = broadcastRecipients;
    const isOld = and(eq(broadcastRow, row), lt(acceptedAt, before));
    await deleteInCommits(db, { table: broadcastRecipients, key: [broadcastRecipients.row], where: isOld });
    const isEnded = and(eq(broadcastBatches.broadcastRow, row), ne(broadcastBatches.state, "open"));
    const isOldBatch = and(isEnded, lt(broadcastBatches.createdAt, before));
    await deleteInCommits(db, { table: broadcastBatches, key: [broadcastBatches.row], where: isOldBatch });
  }
}

/** Deletes the recipients and batches of a broadcast. Its counters stay. */
export async function deleteDetails(db: Db, broadcastRow: number): Promise<void> {
  for (const table of [broadcastRecipients, broadcastBatches])
    await deleteInCommits(db, { table, key: [table.row], where: eq(table.broadcastRow, broadcastRow) });
}
