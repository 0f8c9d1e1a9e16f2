import { and, asc, eq, inArray, lte, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { type Db, type Orm, prepared } from "../engine/open";
import * as audit from "../audit";
import { bump } from "../engine/versions";
import { broadcastFiles, broadcastLetters } from "../schema/broadcasts";
import { posts } from "../schema/posts";
import { postFiles, settingFiles, uploads } from "../schema/storage";
import { findStored, isStored, type StoredFile } from "./files";

/** What is known of a picture once it has been read. */
export type PictureFacts = {
  width: number | null;
  height: number | null;
  picture: NonNullable<(typeof uploads.$inferSelect)["picture"]>;
};

/** Types that may be pictures of which sizes can be made. SVG is a program for drawing, and never read. */
export const isPictureType = (mimeType: string) => /^image\/(jpeg|png|webp|gif|tiff|avif)\s*(;|$)/i.test(mimeType);

/** Files that are shown as pictures, worded like `isStoredPicture`. */
export const isPicture = ({ mimeType }: Pick<StoredFile, "mimeType">) => /^image\/(?!svg)/i.test(mimeType);

/** Times that the process which reads pictures may die of one before it is left alone. */
const maxFailures = 2;

/** What is needed of a file to read its picture. */
export type PictureSource = Pick<StoredFile, "id" | "objectKey" | "nodeId" | "size" | "filename">;

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
export const unread = (db: Db, now: Date): Promise<PictureSource[]> =>
  db.read((orm) => due(orm).all({ now: now.getTime() }));

/** While it has this object: another one may have replaced it. */
const asRead = ({ id, objectKey }: Pick<PictureSource, "id" | "objectKey">) =>
  and(eq(uploads.id, id), eq(uploads.objectKey, objectKey));

/** Stores what was read. */
export const saveFacts = (
  db: Db,
  file: Pick<PictureSource, "id" | "objectKey">,
  facts: PictureFacts,
  now: Date,
): Promise<void> =>
  db.write(async (orm) => {
    await orm
      .update(uploads)
      .set({ ...facts, measureAt: null })
      .where(asRead(file))
      .run();
    await announce(orm, file.id, now);
  });

/** Its node does not answer, or nothing here can read pictures: tries again later. */
export const readLater = (db: Db, file: Pick<PictureSource, "id" | "objectKey">, at: Date): Promise<void> =>
  db.write(async (orm) => {
    await orm
      .update(uploads)
      .set({ measureAt: at })
      .where(and(asRead(file), sql`measure_at is not null`))
      .run();
  });

/** Records that the process died of this picture. Returns whether it is left alone from now on. */
export const recordFailure = (db: Db, file: Pick<PictureSource, "id" | "objectKey">): Promise<boolean> =>
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

/** What is said of a picture; what is left out stays. */
export type Description = {
  /** "": none. */
  alt?: string | undefined;
  /** The point that stays in view where it is cropped, in percent. */
  focus?: { x: number; y: number } | undefined;
};

/** Stores it. Returns false if nothing has changed; undefined if there is no such file. */
export const describe = (db: Db, id: string, description: Description, by: audit.Actor, now: Date) =>
  db.write((orm) => describeIn(orm, id, description, by, now));

/** The same in a transaction. */
export async function describeIn(
  orm: Orm,
  id: string,
  { alt, focus }: Description,
  by: audit.Actor,
  now: Date,
): Promise<boolean | undefined> {
  const here = and(eq(uploads.id, id), isStored);
  const before = await orm.select().from(uploads).where(here).get();
  if (!before) return undefined;
  const isMoved = focus && ((before.focalX ?? middle) !== focus.x || (before.focalY ?? middle) !== focus.y);
  const isReworded = alt !== undefined && (before.alt ?? "") !== alt;
  if (!isMoved && !isReworded) return false;
  const set = { ...(isReworded && { alt: alt || null }), ...(isMoved && { focalX: focus.x, focalY: focus.y }) };
  await orm.update(uploads).set(set).where(here).run();
  await audit.record(orm, { ...by, action: "file.caption", targetId: id, target: before.filename }, now);
  await announce(orm, id, now);
  return true;
}

const middle = 50; // percent: where the focal point is until someone sets it

/** Responses with a post say what is known of its pictures, and pages how large the logo is: they are made anew. */
export async function announce(orm: Orm, id: string, now: Date): Promise<void> {
  for (const { files, topic } of announced) {
    const [used] = await orm.select({ id: files.fileId }).from(files).where(eq(files.fileId, id)).limit(1).all();
    if (used) await bump(orm, topic, now);
  }
}

const announced = [
  { files: postFiles, topic: "posts" },
  { files: settingFiles, topic: "settings" },
] as const;

/** Whether the picture has been read, and can be shown in other sizes. */
export const isSized = ({ picture }: Pick<StoredFile, "picture">) => picture === "opaque" || picture === "transparent";

/** Returns the picture that a setting names, if it can be shown in other sizes; undefined for anything else. */
export async function storedLogo(db: Db, path: string): Promise<(StoredFile & Dimensions) | undefined> {
  const [id = ""] = idsIn(path);
  const file = id && (await findStored(db, id));
  if (!file || !file.width || !file.height || !isSized(file)) return;
  return { ...file, width: file.width, height: file.height };
}

/** The IDs of the files whose URLs are in a text, at most 500. */
export const idsIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/\/media\/([\w-]{36})\//g)].map(([, id = ""]) => id).slice(0, 500)),
];

export type Dimensions = { width: number; height: number };

const used = {
  id: uploads.id,
  filename: uploads.filename,
  mimeType: uploads.mimeType,
  objectKey: uploads.objectKey,
  picture: uploads.picture,
};
const facts = { width: uploads.width, height: uploads.height, alt: uploads.alt, x: uploads.focalX, y: uploads.focalY };

/** Returns what is known of the files in a text, in no order. */
export async function filesIn(db: Db, text: string) {
  const ids = idsIn(text);
  if (!ids.length) return [];
  return db.read((orm) =>
    orm
      .select({ ...used, ...facts })
      .from(uploads)
      .where(and(inArray(uploads.id, ids), isStored))
      .all(),
  );
}

/** Returns the dimensions of the pictures in a text that have been read, by ID. */
export async function dimensionsIn(db: Db, text: string): Promise<Map<string, Dimensions>> {
  const files = await filesIn(db, text);
  return new Map(files.flatMap(({ id, width, height }) => (width && height ? [[id, { width, height }]] : [])));
}

type Texts = { fileId: SQLiteColumn; content: SQLiteColumn };

/** 1 if a text that shows the file describes it; 0 if one of them does not. */
const isDescribedIn = ({ fileId, content }: Texts) => sql<number | null>`min(case
  when ${content} like '%![](/media/' || ${fileId} || '/%' then 0
  when ${content} like '%](/media/' || ${fileId} || '/%' then 1 end)`;

/** Returns those of these pictures that posts and broadcasts show, and describe wherever they do. */
export const describedWhereUsed = (db: Db, ids: string[]): Promise<Set<string>> =>
  db.read(async (orm) => {
    if (!ids.length) return new Set();
    const inPosts = await orm
      .select({ id: postFiles.fileId, is: isDescribedIn({ ...postFiles, content: posts.content }) })
      .from(postFiles)
      .innerJoin(posts, eq(posts.id, postFiles.postId))
      .where(inArray(postFiles.fileId, ids))
      .groupBy(postFiles.fileId)
      .all();
    const inBroadcasts = await orm
      .select({
        id: broadcastFiles.fileId,
        is: isDescribedIn({ ...broadcastFiles, content: broadcastLetters.content }),
      })
      .from(broadcastFiles)
      .innerJoin(broadcastLetters, eq(broadcastLetters.broadcastRow, broadcastFiles.broadcastRow))
      .where(inArray(broadcastFiles.fileId, ids))
      .groupBy(broadcastFiles.fileId)
      .all();
    const uses = [...inPosts, ...inBroadcasts];
    const lacking = new Set(uses.flatMap(({ id, is }) => (is === 0 ? [id] : [])));
    return new Set(uses.flatMap(({ id, is }) => (is === 1 && !lacking.has(id) ? [id] : [])));
  });
