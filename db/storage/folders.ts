import { and, count, eq, inArray, or, type SQL, sql } from "drizzle-orm";
import * as audit from "../audit";
import { forKeyShare, forUpdate } from "../engine/dialects";
import { type Db, type Orm, prepared } from "../engine/open";
import { fold } from "../lib/fold";
import { folders, uploads } from "../schema/storage";

type Folder = typeof folders.$inferSelect;
/** A folder in a list, with the number of files and folders directly in it. */
export type ListedFolder = Pick<Folder, "id" | "path"> & { files: number; folders: number };

const isAt = eq(folders.path, sql.placeholder("path"));
const find = (condition: SQL) =>
  prepared((orm) => orm.select({ id: folders.id }).from(folders).where(condition).prepare());
const byPath = find(isAt);
/** The same, and no one removes it until the transaction ends: something is added below it. */
const keepByPath = find(forKeyShare(isAt));
/** The same, and no one adds anything below it until the transaction ends. */
const lockByPath = find(forUpdate(isAt));

/** Returns the parent: "a" for "a/b", and the root "" for "a". */
export const above = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")));
/** Returns the last part: "b" for "a/b". */
export const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);

/** Returns all folders, parents before children. */
export const list = (db: Db): Promise<Folder[]> =>
  db.read((orm) => orm.select().from(folders).orderBy(folders.path).all());

/** The parent folder with its slash, worded like the index `folders_above`. */
const aboveOf = sql<string>`rtrim(path, replace(path, '/', ''))`;
const directlyIn = (path: string) => and(sql`${aboveOf} = ${path && `${path}/`}`, sql`path != ''`);
const isLive = sql`${uploads.state} = 'completed' and ${uploads.deletedAt} is null`;

/** Returns the folders directly in `path`, by name; at most a thousand. */
export const listIn = (db: Db, path: string): Promise<ListedFolder[]> =>
  db.read(async (orm) => {
    const inside = await orm.select().from(folders).where(directlyIn(path)).orderBy(folders.path).limit(1_000).all();
    return withContents(orm, inside);
  });

/** Returns folders under `under` whose own name contains `q`; at most twenty. */
export const search = (db: Db, q: string, under: string): Promise<ListedFolder[]> =>
  db.read(async (orm) => {
    const wanted = fold(q);
    const all = await orm.select().from(folders).where(below(under)).orderBy(folders.path).all();
    return withContents(orm, all.filter(({ path }) => fold(nameOf(path)).includes(wanted)).slice(0, 20));
  });

/** Condition: any depth inside `path`, using the index on the path: everything that begins with "a/". */
const below = (path: string) =>
  path ? and(sql`${folders.path} > ${`${path}/`}`, sql`${folders.path} < ${`${path}0`}`) : sql`${folders.path} != ''`;

async function withContents(orm: Orm, listed: Folder[]): Promise<ListedFolder[]> {
  const ids = listed.map(({ id }) => id);
  const files = await orm
    .select({ of: uploads.folderId, n: count() })
    .from(uploads)
    .where(and(inArray(uploads.folderId, ids), isLive))
    .groupBy(uploads.folderId)
    .all();
  const paths = listed.map(({ path }) => `${path}/`);
  const inside = await orm
    .select({ of: aboveOf, n: count() })
    .from(folders)
    .where(inArray(aboveOf, paths))
    .groupBy(aboveOf)
    .all();
  const filesOf = new Map(files.map(({ of, n }) => [of, n]));
  const foldersOf = new Map(inside.map(({ of, n }) => [of, n]));
  return listed.map(({ id, path }) => ({
    id,
    path,
    files: filesOf.get(id) ?? 0,
    folders: foldersOf.get(`${path}/`) ?? 0,
  }));
}

/** Returns the ID of the folder at `path` ("" is the root), which is created with all its parents if necessary. */
export async function ensure(orm: Orm, path: string, now: Date): Promise<string> {
  const folder = await keepByPath(orm).get({ path });
  if (folder) return folder.id;
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
