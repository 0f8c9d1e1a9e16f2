import { and, eq, inArray, or } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import * as audit from "../audit";
import { folders, uploads } from "../schema/storage";
import { above, byPath, directlyIn, isLive, keepByPath, lockByPath } from "./folders";

/** Returns the ID of the folder at `path` ("" is the root), which is created with all its parents if necessary. */
export async function ensure(orm: Orm, path: string, now: Date): Promise<string> {
  const known = await keepByPath(orm).get({ path });
  if (known) return known.id;
  if (path) await ensure(orm, above(path), now);
  return (await orm.insert(folders).values({ path, createdAt: now }).returning({ id: folders.id }).get()).id;
}

/** Creates the folder and its parents. Returns false if it exists. */
export const create = (db: Db, path: string, by: audit.Actor, now: Date): Promise<boolean> =>
  db.write(async (orm) => {
    if (await byPath(orm).get({ path })) return false;
    const targetId = await ensure(orm, path, now);
    await audit.record(orm, { ...by, action: "folder.create", targetId, target: path }, now);
    return true;
  });

type Removed = "removed" | "not empty" | "not there";

/**
 * Removes a folder without folders, files or uploads in progress. Files deleted from it would be restored to its
 * parent.
 */
export const remove = (db: Db, path: string, by: audit.Actor, now: Date): Promise<Removed> =>
  db.write(async (orm) => {
    const folder = path ? await lockByPath(orm).get({ path }) : undefined;
    if (!folder) return "not there";
    const inside = await orm.select({ id: folders.id }).from(folders).where(directlyIn(path)).limit(1).get();
    const isComing = inArray(uploads.state, ["pending", "open", "completing"]);
    const used = await orm
      .select({ id: uploads.id })
      .from(uploads)
      .where(and(eq(uploads.folderId, folder.id), or(isLive, isComing)))
      .limit(1)
      .get();
    if (inside || used) return "not empty";
    const folderId = await ensure(orm, above(path), now);
    await orm.update(uploads).set({ folderId }).where(eq(uploads.folderId, folder.id)).run();
    await orm.delete(folders).where(eq(folders.id, folder.id)).run();
    await audit.record(orm, { ...by, action: "folder.remove", targetId: folder.id, target: path }, now);
    return "removed";
  }, guarded);

/** Guarded by the row of the folder, which is locked first (docs/decisions/postgres.md). */
const guarded = { guarded: true } as const;
