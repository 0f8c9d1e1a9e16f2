import { desc, eq, inArray } from "drizzle-orm";
import type { Db } from "../../../db/engine/open";
import { folders, storageNodes, uploads } from "../../../db/schema/storage";
import { find, type Upload } from "../../../db/storage/uploads";

/** Uploads with the names of their node and folder, newest first. */
export const listUploads = (db: Db, { states, limit = 50 }: { states?: Upload["state"][]; limit?: number } = {}) =>
  db.read((orm) =>
    orm
      .select({ upload: uploads, node: storageNodes.name, folder: folders.path })
      .from(uploads)
      .innerJoin(storageNodes, eq(storageNodes.id, uploads.nodeId))
      .innerJoin(folders, eq(folders.id, uploads.folderId))
      .where(states && inArray(uploads.state, states))
      .orderBy(desc(uploads.createdAt), desc(uploads.id))
      .limit(limit)
      .all(),
  );

/** The upload as it is now. */
export async function uploadOf(db: Db, id: string): Promise<Upload> {
  const upload = await find(db, id);
  if (!upload) throw new Error(`There is no upload ${id}`);
  return upload;
}
