import { and, desc, eq, isNull, not, or, type SQL, sql } from "drizzle-orm";
import type { Db } from "../engine/open";
import { contains, containsIn } from "../lib/fold";
import { folders, isStoredPicture, uploads } from "../schema/storage";
import { isUsed } from "./references";

/* The pictures in Storage, as the page Pictures and the choice of a picture list them. */

export type PictureFilter = {
  pictures: true;
  /** Pictures in this folder and below it. */
  folder: string;
  /** Part of the name or the alternative text, ignoring case. */
  q?: string | undefined;
  use?: "used" | "unused" | undefined;
  /** Only those that nobody has described. */
  lacksAlt?: boolean | undefined;
};

/** Condition: the pictures that match. */
export const matchingPictures = ({ folder, q, use, lacksAlt }: PictureFilter): SQL | undefined =>
  and(
    isStoredPicture,
    folder ? sql`${uploads.folderId} in (select id from ${folders} where ${under(folder)})` : undefined,
    q ? or(sql`${uploads.folded} like ${contains(q)} escape '\\'`, containsIn(uploads.alt, q)) : undefined,
    lacksAlt ? isNull(uploads.alt) : undefined,
    use && (use === "used" ? isUsed : not(isUsed)),
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
type PictureFolder = { path: string; pictures: number };

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
