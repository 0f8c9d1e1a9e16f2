import { and, asc, desc, eq, inArray, isNull, like, not, or, type SQL, sql } from "drizzle-orm";
import type { Db } from "../engine/open";
import { contains, containsIn } from "../lib/fold";
import { countRows, countUpTo, type FoundRows, newestSearched, pageOf, type PageRequest } from "../lib/rows";
import { folders, isStoredPicture, isUnsettled, storageNodes, uploads } from "../schema/storage";
import { fileColumns, isStored } from "./files";
import { isUsed } from "./references";
import { inTrash } from "./trash";

export const fileKinds = ["image", "video", "audio", "pdf", "text", "other"] as const;
export type FileKind = (typeof fileKinds)[number];
export type FileFilter = {
  /** Files in this folder; with another condition, also in its subfolders. */
  folder: string;
  /** Part of the name, ignoring case. */
  q?: string | undefined;
  isEverywhere?: boolean | undefined;
  kind?: FileKind | undefined;
  use?: FileUse | undefined;
};
type FileUse = "used" | "unused";
/** What a manager lists: stored files matching a filter, specific files, or files in the trash. */
export type FileScope =
  FileFilter | PictureFilter | { ids: string[]; q?: undefined } | { trash: true; q?: string | undefined };

export const matching = (scope: FileScope): SQL | undefined =>
  "pictures" in scope ? matchingPictures(scope) : matchingFiles(scope);

const matchingFiles = (scope: Exclude<FileScope, PictureFilter>): SQL | undefined =>
  and(
    "trash" in scope ? inTrash : and(isStored, "ids" in scope ? inArray(uploads.id, scope.ids) : filtered(scope)),
    scope.q ? sql`${uploads.folded} like ${contains(scope.q)} escape '\\'` : undefined,
  );

const filtered = (filter: FileFilter) =>
  and(placed(filter), filter.kind && isKind(filter.kind), filter.use && hasUse(filter.use));

const hasUse = (use: FileUse) => (use === "used" ? isUsed : not(isUsed));

function placed({ folder, q, kind, use, isEverywhere }: FileFilter): SQL | undefined {
  const isSearch = q || kind || use;
  if (isSearch && (isEverywhere || !folder)) return undefined;
  return sql`${uploads.folderId} in (select id from ${folders} where ${isSearch ? under(folder) : sql`path = ${folder}`})`;
}

const isLike = (...patterns: string[]) => or(...patterns.map((pattern) => like(uploads.mimeType, pattern)));

const kindConditions: Record<Exclude<FileKind, "other">, SQL | undefined> = {
  image: isLike("image/%"),
  video: isLike("video/%"),
  audio: isLike("audio/%"),
  pdf: isLike("application/pdf%"),
  text: isLike("text/%", "application/json%", "application/xml%", "application/yaml%", "application/javascript%"),
};

const isKind = (kind: FileKind) =>
  kind === "other" ? not(or(...Object.values(kindConditions)) ?? sql`false`) : kindConditions[kind];

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
  if ("pictures" in scope) return [desc(uploads.id)]; // in order of time
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

export type FoundFile = { id: string; filename: string; mimeType: string; folder: string };

/** Finds part of a name among the newest uploads, newest first: their IDs are in order of time. */
export const find = (db: Db, q: string, limit: number) =>
  db.read(async (orm): Promise<FoundRows<FoundFile>> => {
    const newest = orm
      .select({ id: uploads.id })
      .from(uploads)
      .orderBy(desc(uploads.id))
      .limit(newestSearched)
      .as("newest");
    const named = sql`${uploads.folded} like ${contains(q)} escape '\\'`;
    const where = and(sql`${uploads.id} in (select id from ${newest})`, isStored, named);
    const rows = await orm
      .select({ id: uploads.id, filename: uploads.filename, mimeType: uploads.mimeType, folder: folders.path })
      .from(uploads)
      .innerJoin(folders, eq(folders.id, uploads.folderId))
      .where(where)
      .orderBy(desc(uploads.id))
      .limit(limit)
      .all();
    const total = await countUpTo(orm, newestSearched, uploads, where);
    return { rows, total, isMore: (await countUpTo(orm, newestSearched, uploads, undefined)) > newestSearched };
  });

/* The pictures in Storage, as the page Pictures and the choice of a picture list them. */

export type PictureFilter = {
  pictures: true;
  /** Pictures in this folder and below it. */
  folder: string;
  /** Part of the name or the alternative text, ignoring case. */
  q?: string | undefined;
  use?: FileUse | undefined;
  /** Only those that nobody has described. */
  lacksAlt?: boolean | undefined;
};

/** Condition: the pictures that match. */
const matchingPictures = ({ folder, q, use, lacksAlt }: PictureFilter): SQL | undefined =>
  and(
    isStoredPicture,
    folder ? sql`${uploads.folderId} in (select id from ${folders} where ${under(folder)})` : undefined,
    q ? or(sql`${uploads.folded} like ${contains(q)} escape '\\'`, containsIn(uploads.alt, q)) : undefined,
    lacksAlt ? isNull(uploads.alt) : undefined,
    use && hasUse(use),
  );

const under = (folder: string) => sql`(path = ${folder} or (path > ${`${folder}/`} and path < ${`${folder}0`}))`; // everything that begins with "a/"

type Picture = Pick<
  typeof uploads.$inferSelect,
  "id" | "filename" | "objectKey" | "size" | "alt" | "focalX" | "focalY" | "width" | "height" | "picture"
>;

/** Returns pictures from all folders, newest first. @param q part of the name or the alternative text */
export const findPictures = (db: Db, q: string, limit: number): Promise<Picture[]> =>
  db.read((orm) =>
    orm
      .select()
      .from(uploads)
      .where(matchingPictures({ pictures: true, folder: "", q }))
      .orderBy(desc(uploads.id)) // in order of time
      .limit(limit)
      .all(),
  );

/** A folder, and the number of pictures in it and below it. */
export type PictureFolder = { path: string; pictures: number };

const maxFolders = 200;

/** Returns the folders directly in `folder`, by name, at most two hundred, and how many there are. */
export const foldersIn = (db: Db, folder: string) =>
  db.read(async (orm): Promise<{ folders: PictureFolder[]; total: number }> => {
    const inside = folder ? sql`path > ${`${folder}/`} and path < ${`${folder}0`}` : sql`path <> ''`;
    const paths = (await orm.select({ path: folders.path }).from(folders).where(inside).all()).map(({ path }) => path);
    const counted = await orm
      .select({ path: folders.path, n: sql<number>`count(*)`.mapWith(Number) })
      .from(uploads)
      .innerJoin(folders, eq(folders.id, uploads.folderId))
      .where(and(isStoredPicture, inside))
      .groupBy(folders.path)
      .all();
    const nextIn = (path: string) => path.slice(0, `${path}/`.indexOf("/", folder ? folder.length + 1 : 0));
    const pictures = new Map(paths.map((path) => [nextIn(path), 0]));
    for (const { path, n } of counted) pictures.set(nextIn(path), (pictures.get(nextIn(path)) ?? 0) + n);
    const all = [...pictures].map(([path, n]) => ({ path, pictures: n }));
    return { folders: all.sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, maxFolders), total: all.length };
  });
