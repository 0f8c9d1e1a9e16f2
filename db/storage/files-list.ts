import { asc, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Db } from "../engine/open";
import { countRows, pageOf, type PageRequest } from "../lib/page";
import { folders, isUnsettled, storageNodes, uploads } from "../schema/storage";
import { fileColumns } from "./files";
import { inTrash } from "./trash";
import { type FileScope, matching } from "./files-filter";

export type FileSort = "name" | "-name" | "size" | "-size" | "type" | "-type" | "modified" | "-modified";

const columns: Record<string, SQL> = {
  name: sql`${uploads.folded}`,
  size: sql`${uploads.size}`,
  type: sql`${uploads.mimeType}`,
  modified: sql`coalesce(${uploads.completedAt}, ${uploads.createdAt})`,
};

/** Returns one page of files and the total. A page past the end is the last page. */
export const list = (db: Db, scope: FileScope, sort: FileSort, request: PageRequest) =>
  db.read(async (orm) => {
    const where = matching(scope);
    const order = orderOf(scope, sort);
    const inOrder = orm
      .select({ id: uploads.id })
      .from(uploads)
      .where(where)
      .orderBy(...order);
    return pageOf(await countRows(orm, uploads, where), request, (limit, offset) =>
      orm
        .select(fileColumns)
        .from(uploads)
        .innerJoin(folders, eq(folders.id, uploads.folderId))
        .innerJoin(storageNodes, eq(storageNodes.id, uploads.nodeId))
        .where(inArray(uploads.id, inOrder.limit(limit).offset(offset)))
        .orderBy(...order)
        .all(),
    );
  });

function orderOf(scope: FileScope, sort: FileSort): SQL[] {
  if ("trash" in scope) return [desc(uploads.deletedAt), desc(uploads.id)];
  const turned = sort.startsWith("-") ? desc : asc;
  const by = columns[sort.replace("-", "")] ?? sql`${uploads.folded}`;
  return [turned(by), turned(uploads.id)];
}

/** Returns the counts in the navigation of Storage. Both use indexes that contain only these rows. */
export const counts = (db: Db) =>
  db.read(async (orm) => {
    return {
      trash: await countRows(orm, uploads, inTrash),
      open: await countRows(orm, uploads, isUnsettled),
    };
  });
