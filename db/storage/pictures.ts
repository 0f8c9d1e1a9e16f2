import { and, asc, eq, lte, sql } from "drizzle-orm";
import { type Db, prepared } from "../engine/open";
import { uploads } from "../schema/storage";
import type { StoredFile } from "./files";

/** What is known of a picture once it has been read. */
export type PictureFacts = {
  width: number | null;
  height: number | null;
  picture: NonNullable<(typeof uploads.$inferSelect)["picture"]>;
};

/** Types that may be pictures of which sizes can be made. SVG is a program for drawing, and never read. */
export const isPictureType = (mimeType: string) => /^image\/(jpeg|png|webp|gif|tiff|avif)\s*(;|$)/i.test(mimeType);

/** Times that the process which reads pictures may die of one before it is left alone. */
const maxFailures = 2;

type Unread = Pick<StoredFile, "id" | "objectKey" | "nodeId" | "size" | "filename">;

const due = prepared((orm) =>
  orm
    .select({
      id: uploads.id,
      objectKey: uploads.objectKey,
      nodeId: uploads.nodeId,
      size: uploads.size,
      filename: uploads.filename,
    })
    .from(uploads)
    .where(and(sql`measure_at is not null and state = 'completed'`, lte(uploads.measureAt, sql.placeholder("now"))))
    .orderBy(asc(uploads.measureAt))
    .limit(20)
    .prepare(),
);

/** Returns pictures that have not been read yet, at most 20. */
export const unread = (db: Db, now: Date): Promise<Unread[]> => db.read((orm) => due(orm).all({ now: now.getTime() }));

/** While it has this object: another one may have replaced it. */
const asRead = ({ id, objectKey }: Pick<Unread, "id" | "objectKey">) =>
  and(eq(uploads.id, id), eq(uploads.objectKey, objectKey));

/** Stores what was read. */
export const saveFacts = (db: Db, file: Pick<Unread, "id" | "objectKey">, facts: PictureFacts): Promise<void> =>
  db.write(async (orm) => {
    await orm
      .update(uploads)
      .set({ ...facts, measureAt: null })
      .where(asRead(file))
      .run();
  });

/** Its node does not answer, or nothing here can read pictures: tries again later. */
export const readLater = (db: Db, file: Pick<Unread, "id" | "objectKey">, at: Date): Promise<void> =>
  db.write(async (orm) => {
    await orm
      .update(uploads)
      .set({ measureAt: at })
      .where(and(asRead(file), sql`measure_at is not null`))
      .run();
  });

/** Records that the process died of this picture. Returns whether it is left alone from now on. */
export const recordFailure = (db: Db, file: Pick<Unread, "id" | "objectKey">): Promise<boolean> =>
  db.write(async (orm) => {
    const row = await orm
      .update(uploads)
      .set({ pictureFailures: sql`picture_failures + 1` })
      .where(asRead(file))
      .returning()
      .get();
    if (!row || row.pictureFailures < maxFailures) return false;
    await orm.update(uploads).set({ picture: "unreadable", measureAt: null }).where(asRead(file)).run();
    return true;
  });
