import { and, eq } from "drizzle-orm";
import * as audit from "../audit";
import type { Db, Orm } from "../engine/open";
import { uploads } from "../schema/storage";
import { announce, isPicture } from "./pictures";
import { inUse } from "./references";
import { trashColumns } from "./trash";
import type { Upload } from "./uploads";

/*
 * Gives a picture another object. Its ID stays, and with it its URL, its name and everything that uses it. The two files
 * swap their objects, so no bytes are touched: the other file, now with the previous ones, goes to the trash, from which
 * they can be taken back for 30 days. Sizes belong to the object, and go with it.
 */

type Replaced =
  | { outcome: "replaced"; filename: string }
  /** One of them no longer exists, or its time in the trash is over. */
  | { outcome: "gone" }
  /** Something shows the other file, and would lose it. */
  | { outcome: "in use" };

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

/** @param other a picture that nothing uses, in the trash or not */
export const replace = (
  db: Db,
  { id, other: otherId }: { id: string; other: string },
  by: audit.Actor,
  now: Date,
): Promise<Replaced> =>
  db.write(async (orm) => {
    const [file, other] = [await pictureOf(orm, id), await pictureOf(orm, otherId)];
    const isEnding = other?.purgeAt != null && other.purgeAt <= now; // its bytes may be deleted at this moment
    if (!file || !other || file.deletedAt || isEnding || id === otherId) return { outcome: "gone" };
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

async function pictureOf(orm: Orm, id: string): Promise<Upload | undefined> {
  const file = await orm
    .select()
    .from(uploads)
    .where(and(eq(uploads.id, id), eq(uploads.state, "completed")))
    .get();
  return file && isPicture(file) ? file : undefined;
}
