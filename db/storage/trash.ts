import { and, asc, eq, isNotNull, lte, sql } from "drizzle-orm";
import * as audit from "../audit";
import { type Db, prepared } from "../engine/open";
import { trashRetentionMs } from "../lib/time";
import { storageNodes, uploads } from "../schema/storage";
import { isStored } from "./files";
import { inUse, isUnused } from "./references";
import { forgetAllOf } from "./variants";

/*
 * Files in the trash: how one gets there, and how it is deleted for good. A manager moves many, restores them and deletes
 * them before their time in `files-bulk.ts`; `src/storage/uploads/sweeper.ts` deletes those whose time is over.
 */

/** Worded like the index `uploads_purge`, which contains only these rows. */
export const inTrash = and(isNotNull(uploads.purgeAt), isNotNull(uploads.deletedAt), eq(uploads.state, "completed"));

type Trashed = "trashed" | "in use" | "not there";

/** Moves one file to the trash, without touching its bytes. One that is already there stays as it is. */
export const trash = (db: Db, id: string, by: audit.Actor, now: Date): Promise<Trashed> =>
  db.write(async (orm) => {
    const file = await orm
      .select()
      .from(uploads)
      .where(and(eq(uploads.id, id), eq(uploads.state, "completed")))
      .get();
    if (!file) return "not there";
    if (file.deletedAt) return "trashed";
    if (await inUse(orm, id)) return "in use";
    await orm
      .update(uploads)
      .set(trashColumns(now))
      .where(and(eq(uploads.id, id), isStored))
      .run();
    await audit.record(orm, { ...by, action: "file.trash", targetId: id, target: file.filename }, now);
    return "trashed";
  });

/** They are deleted when everything else in the trash would be. Until then, their bytes count as used. */
export const trashColumns = (now: Date) => ({ deletedAt: now, purgeAt: new Date(now.getTime() + trashRetentionMs) });

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
