import { and, eq, ne, sql } from "drizzle-orm";
import * as audit from "../audit";
import type { Db, Orm } from "../engine/open";
import { mediaTypeOf } from "../lib/text";
import { folders, uploads } from "../schema/storage";
import { fromFiles, isStored, type StoredFile } from "./files";
import { announce, isPicture } from "./pictures";
import { inUse, isUnused } from "./references";
import { trashColumns } from "./trash";
import type { Upload } from "./uploads";

/*
 * Gives a file another object. Its ID stays, and with it its URL, its name and everything that uses it. The two files
 * swap their objects, so no bytes are touched: the other file, now with the previous ones, goes to the trash, from which
 * they can be taken back for 30 days. Sizes belong to the object, and go with it.
 */

type Replaced =
  | { outcome: "replaced"; filename: string }
  /** One of them no longer exists, or its time in the trash is over. */
  | { outcome: "gone" }
  /** Something shows the other file, and would lose it. */
  | { outcome: "in use" }
  /** What uses the file could not use the other one. */
  | { outcome: "other type" };

/** What of a file belongs to its bytes. */
const objectOf = (file: Upload) => {
  const { nodeId, objectKey, providerUploadId, mimeType, size, partSize, received, etag, checksums, completedAt } =
    file;
  const { width, height, picture, measureAt, pictureFailures } = file;
  const stored = {
    nodeId,
    objectKey,
    providerUploadId,
    mimeType,
    size,
    partSize,
    received,
    etag,
    checksums,
    completedAt,
  };
  return { ...stored, width, height, picture, measureAt, pictureFailures };
};

/** A picture may take the place of any other picture, and another file that of one of its own type. */
const canReplace = (file: Upload, other: Upload) =>
  isPicture(file) ? isPicture(other) : mediaTypeOf(other.mimeType) === mediaTypeOf(file.mimeType);

/** Returns files of its folder and type that nothing uses, by name. */
export const replacements = (db: Db, file: StoredFile, limit: number): Promise<StoredFile[]> =>
  db.read((orm) => {
    const type = `${mediaTypeOf(file.mimeType)};`;
    // As `mediaTypeOf`: a type has no space but before its parameters
    const stored = sql`replace(lower(${uploads.mimeType}), ' ', '') || ';'`;
    const isAlike = eq(sql`substr(${stored}, 1, ${type.length})`, type);
    const others = and(isStored, eq(folders.path, file.folder), isAlike, isUnused, ne(uploads.id, file.id));
    return fromFiles(orm).where(others).orderBy(uploads.folded, uploads.id).limit(limit).all();
  });

/** @param other a file that nothing uses, in the trash or not */
export const replace = (
  db: Db,
  { id, other: otherId }: { id: string; other: string },
  by: audit.Actor,
  now: Date,
): Promise<Replaced> =>
  db.write(async (orm) => {
    const [file, other] = [await completed(orm, id), await completed(orm, otherId)];
    const isEnding = other?.purgeAt != null && other.purgeAt <= now; // its bytes may be deleted at this moment
    if (!file || !other || file.deletedAt || isEnding || id === otherId) return { outcome: "gone" };
    if (!canReplace(file, other)) return { outcome: "other type" };
    if (await inUse(orm, otherId)) return { outcome: "in use" };
    const { filename, folded, folderId } = file;
    const set = (row: string, columns: Partial<Upload>) =>
      orm.update(uploads).set(columns).where(eq(uploads.id, row)).run();
    await set(otherId, { objectKey: `swapped/${otherId}` }); // keys are unique, also for a moment
    await set(id, objectOf(other));
    await set(otherId, { ...objectOf(file), filename, folded, folderId, ...trashColumns(now) });
    await audit.record(orm, { ...by, action: "file.replace", targetId: id, target: filename }, now);
    await announce(orm, id, now);
    return { outcome: "replaced", filename };
  });

const completed = (orm: Orm, id: string): Promise<Upload | undefined> =>
  orm
    .select()
    .from(uploads)
    .where(and(eq(uploads.id, id), eq(uploads.state, "completed")))
    .get();
