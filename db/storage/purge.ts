import { and, asc, eq, lte, sql } from "drizzle-orm";
import { type Db, prepared } from "../engine/open";
import { storageNodes, uploads } from "../schema/storage";
import { isUnused } from "./references";
import { inTrash } from "./rules";
import { forgetAllOf } from "./variants";

type ExpiredFile = { id: string; objectKey: string };

const expired = prepared((orm) =>
  orm
    .select({ id: uploads.id, objectKey: uploads.objectKey })
    .from(uploads)
    .where(
      and(
        inTrash,
        lte(uploads.purgeAt, sql.placeholder("now")),
        sql`+${uploads.nodeId} = ${sql.placeholder("nodeId")}`, // the plus avoids the node's index, which contains every file
        isUnused,
      ),
    )
    .orderBy(asc(uploads.purgeAt))
    .limit(500)
    .prepare(),
);

/**
 * Returns the files of this node whose time in the trash is over; at most 500. They can no longer be restored, so
 * deleting their bytes is final. A file that a post started to use in the meantime is kept.
 */
export const due = (db: Db, nodeId: string, now: Date): Promise<ExpiredFile[]> =>
  db.read((orm) => expired(orm).all({ nodeId, now: now.getTime() }));

/**
 * Deletes the row after the provider has deleted the bytes, with the sizes made of it, and frees the node's space. Takes effect once, however
 * often it is called.
 */
export const deletePurged = (db: Db, id: string): Promise<boolean> =>
  db.write(async (orm) => {
    const file = await orm
      .delete(uploads)
      .where(and(eq(uploads.id, id), inTrash))
      .returning()
      .get();
    if (!file) return false;
    await orm
      .update(storageNodes)
      .set({ usedBytes: sql`used_bytes - ${file.size}` })
      .where(eq(storageNodes.id, file.nodeId))
      .run();
    await forgetAllOf(orm, file.objectKey);
    return true;
  });
