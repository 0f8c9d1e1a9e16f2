import { and, eq, isNull, sql } from "drizzle-orm";
import { type Db, type Orm, prepared, textParameter } from "../engine/open";
import { countRows } from "../lib/rows";
import { folders, storageNodes, uploads } from "../schema/storage";

/** The columns of a file: a completed upload, with the names of its folder and node. */
export const fileColumns = {
  id: uploads.id,
  filename: uploads.filename,
  mimeType: uploads.mimeType,
  size: uploads.size,
  folder: folders.path,
  node: storageNodes.name,
  nodeId: uploads.nodeId,
  objectKey: uploads.objectKey,
  etag: uploads.etag,
  checksums: uploads.checksums,
  metadata: uploads.metadata,
  storedAt: sql<Date>`coalesce(${uploads.completedAt}, ${uploads.createdAt})`.mapWith(uploads.createdAt),
  width: uploads.width,
  height: uploads.height,
  picture: uploads.picture,
  alt: uploads.alt,
  focalX: uploads.focalX,
  focalY: uploads.focalY,
  deletedAt: uploads.deletedAt,
  purgeAt: uploads.purgeAt,
};

/** The files of Storage, with their folders and nodes. */
export const fromFiles = (orm: Orm) =>
  orm
    .select(fileColumns)
    .from(uploads)
    .innerJoin(folders, eq(folders.id, uploads.folderId))
    .innerJoin(storageNodes, eq(storageNodes.id, uploads.nodeId))
    .$dynamic();

export type StoredFile = NonNullable<Awaited<ReturnType<typeof find>>>;

/** Worded like the index `uploads_files`. */
export const isStored = and(sql`${uploads.state} = 'completed'`, isNull(uploads.deletedAt));

const byId = prepared((orm) =>
  fromFiles(orm)
    .where(and(eq(uploads.id, textParameter("id")), sql`${uploads.state} = 'completed'`))
    .prepare(),
);

/** Returns the file, in the trash or not (see `deletedAt`). */
export const find = (db: Db, id: string) => db.read((orm) => byId(orm).get({ id }));

/** Returns the file unless it is in the trash. */
export async function findStored(db: Db, id: string): Promise<StoredFile | undefined> {
  const file = await find(db, id);
  return file?.deletedAt ? undefined : file;
}

/** The position of a file, after which a list continues. */
type Position = { folded: string; id: string };

/** Returns the files of one folder by name, and their total number. `next` is set if the list continues (D23). */
export const listIn = (db: Db, folder: string, { limit, after }: { limit: number; after?: Position | undefined }) =>
  db.read(async (orm) => {
    const there = and(isStored, sql`${uploads.folderId} = (select id from ${folders} where path = ${folder})`);
    const files = await orm
      .select({ ...fileColumns, folded: uploads.folded })
      .from(uploads)
      .innerJoin(folders, eq(folders.id, uploads.folderId))
      .innerJoin(storageNodes, eq(storageNodes.id, uploads.nodeId))
      .where(and(there, after && sql`(${uploads.folded}, ${uploads.id}) > (${after.folded}, ${after.id})`))
      .orderBy(uploads.folded, uploads.id)
      .limit(limit + 1)
      .all();
    const total = await countRows(orm, uploads, there);
    const page = files.slice(0, limit);
    return { files: page, total, next: files.length > limit ? page.at(-1) : undefined };
  });

/**
 * The permanent URL of a file, for cover images and texts. The name is for people; the ID decides. Anonymous visitors
 * can load files that a published post or project uses (see `isPublic` in references.ts).
 */
export const mediaPath = ({ id, filename }: Pick<StoredFile, "id" | "filename">) =>
  `/media/${id}/${encodeURIComponent(filename)}`;

/** The same in a width, for our own pages. It changes with the file's bytes, so that no browser shows previous ones. */
export const sizedPath = (file: Pick<StoredFile, "id" | "filename" | "objectKey">, width: number) =>
  `${mediaPath(file)}?w=${width}&v=${file.objectKey.slice(-8)}`;

/** Two tiny sizes, for rows of lists. The smallest widths are JPEG. */
export const rowSizesOf = (file: Parameters<typeof sizedPath>[0]) => ({
  src: `${sizedPath(file, 64)}&as=jpeg`,
  large: `${sizedPath(file, 128)}&as=jpeg`,
});

const thumbnailWidths = { src: 320, large: 640 };

/** Two small sizes, for pages with many pictures. */
export const thumbnailOf = (file: Parameters<typeof sizedPath>[0]) => ({
  src: sizedPath(file, thumbnailWidths.src),
  large: sizedPath(file, thumbnailWidths.large),
});

/* Names and values that a client keeps with a file. */

export type Metadata = Record<string, string>;

export const metadataLimits = {
  entries: 20,
  /** Characters of a value. */
  value: 500,
  /** Names and values together, in UTF-8. */
  bytes: 4_096,
};

/** What is wrong with all of it together; undefined if nothing is. */
export function metadataProblem(metadata: Metadata): string | undefined {
  const { entries, bytes } = metadataLimits;
  if (Object.keys(metadata).length > entries) return `must have at most ${entries} entries`;
  const size = Object.entries(metadata).reduce((sum, entry) => sum + Buffer.byteLength(entry.join("")), 0);
  return size > bytes ? `must be at most ${bytes} bytes long in all` : undefined;
}

/** The entries with these changes; null removes one. */
export function changedMetadata(before: Metadata | null, changes: Record<string, string | null>): Metadata {
  const merged = Object.entries({ ...before, ...changes });
  return Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null));
}
