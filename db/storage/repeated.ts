import { and, eq, lt } from "drizzle-orm";
import { type Db, type Orm, prepared, textParameter } from "../engine/open";
import * as idempotency from "../idempotency";
import { folders, storageNodes, uploads } from "../schema/storage";
import { isStored } from "./files";
import type { StorageNode } from "./nodes/nodes";
import type { Upload } from "./uploads";

/** Hashes of an Idempotency-Key with its sender, and of the request. */
export type Repeatable = { key: string; fingerprint: string };

/** The outcome of an earlier request with the same idempotency key. */
export type Repeated =
  /** The space is reserved, but the upload is not open: the request is still running, or its process has died. */
  | { outcome: "reserved"; upload: Upload; node: StorageNode; isRepeated: boolean }
  /** The upload is open. */
  | { outcome: "repeated"; upload: Upload }
  /** The key was used for a different request. */
  | { outcome: "conflict" };

/**
 * Returns what was reserved with this idempotency key within a day, unless it was aborted: its response was lost. If it
 * never opened, nothing was granted, and the key is free.
 */
export async function findRepeated(
  orm: Orm,
  { key, fingerprint }: Repeatable,
  now: Date,
): Promise<Repeated | undefined> {
  const before = await idempotency.recall(orm, key, now);
  if (!before) return undefined;
  const reserved = await orm
    .select({ upload: uploads, node: storageNodes })
    .from(uploads)
    .innerJoin(storageNodes, eq(storageNodes.id, uploads.nodeId))
    .where(eq(uploads.id, before.resultId))
    .get();
  const isAborted = reserved?.upload.state === "aborting" || reserved?.upload.state === "aborted";
  if (isAborted && reserved.upload.urlExpiresAt === null) return undefined;
  if (before.fingerprint !== fingerprint) return { outcome: "conflict" };
  if (!reserved || isAborted) return undefined;
  const { state, urlExpiresAt } = reserved.upload;
  const isOpened = state !== "pending" || urlExpiresAt !== null; // or it is being converted to multipart
  return isOpened
    ? { outcome: "repeated", upload: reserved.upload }
    : { outcome: "reserved", isRepeated: true, ...reserved };
}

/** A file's location: its folder's path ("" is the root) and its name. */
type Place = { folderPath: string; filename: string };

const stored = prepared((orm) =>
  orm
    .select({ id: uploads.id })
    .from(uploads)
    .innerJoin(folders, eq(folders.id, uploads.folderId))
    .where(
      and(eq(folders.path, textParameter("folderPath")), eq(uploads.filename, textParameter("filename")), isStored),
    )
    .limit(1)
    .prepare(),
);
const isTaken = async (orm: Orm, place: Place) => (await stored(orm).get(place)) !== undefined;

/** Returns for each location whether a file of that name exists there; null counts as free. */
export const taken = (db: Db, places: (Place | null)[]): Promise<boolean[]> =>
  db.read((orm) => Promise.all(places.map((place) => place !== null && isTaken(orm, place))));

/** Returns the name itself, or the first of "letter (2).pdf", "letter (3).pdf" … that no file in the folder has. */
export const freeName = (db: Db, { folderPath, filename }: Place): Promise<string> =>
  db.read(async (orm) => {
    const [, base = "", extension = ""] = /^(.+?)((?:\.[^.]{1,32})?)$/.exec(filename) ?? [];
    let name = filename;
    for (let n = 2; await isTaken(orm, { folderPath, filename: name }); n++)
      name = `${shortened(base, extension)} (${n})${extension}`;
    return name;
  });

const maxBytes = 255 - " (999999)".length; // file names are limited in bytes

/** Cuts the base so that the number fits, never in the middle of a character. */
function shortened(base: string, extension: string): string {
  const characters = [...base];
  while (Buffer.byteLength(characters.join("") + extension) > maxBytes) characters.pop();
  return characters.join("");
}

/** Returns older files of the same name in the same folder. */
export const olderDuplicates = (db: Db, id: string): Promise<string[]> =>
  db.read(async (orm) => {
    const upload = await orm.select().from(uploads).where(eq(uploads.id, id)).get();
    if (!upload) return [];
    const { folderId, filename, createdAt } = upload;
    return (
      await orm
        .select({ id: uploads.id })
        .from(uploads)
        .where(
          and(
            eq(uploads.folderId, folderId),
            eq(uploads.filename, filename),
            lt(uploads.createdAt, createdAt),
            isStored,
          ),
        )
        .all()
    ).map((file) => file.id);
  });
