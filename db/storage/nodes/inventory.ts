import { and, asc, desc, eq, gt, sql } from "drizzle-orm";
import { byEngine, largerOf } from "../../engine/dialects";
import { type Db, type Orm, prepared } from "../../engine/open";
import * as audit from "../../audit";
import { storageNodes, uploads } from "../../schema/storage";
import type { Upload } from "../uploads";
import { isPictureType } from "../pictures";
import { forgetAllOf } from "../variants";
import { keepsInterrupted, nodeIn, recordEvent, variantBytes } from "./nodes";

/** Reads and repairs for comparing the database with a provider. Every repair is recorded in the audit log (D40). */

export type StoredObject = Pick<Upload, "id" | "objectKey" | "size" | "etag">;

const page = prepared((orm) =>
  orm
    .select({ id: uploads.id, objectKey: uploads.objectKey, size: uploads.size, etag: uploads.etag })
    .from(uploads)
    .where(
      and(
        eq(uploads.nodeId, sql.placeholder("nodeId")),
        eq(uploads.state, "completed"),
        gt(uploads.objectKey, sql.placeholder("after")),
      ),
    )
    .orderBy(asc(uploads.objectKey))
    .limit(1_000)
    .prepare(),
);

/** Yields every file of the node, including the trash, in byte order of their keys. */
export async function* storedObjects(db: Db, nodeId: string): AsyncGenerator<StoredObject> {
  for (let after: string | undefined = ""; after !== undefined;) {
    const rows: StoredObject[] = await db.read((orm) => page(orm).all({ nodeId, after }));
    yield* rows;
    after = rows.at(-1)?.objectKey;
  }
}

/** Returns the row with this key, in any state, on any node. */
export const byKey = (db: Db, objectKey: string): Promise<Upload | undefined> =>
  db.read((orm) => orm.select().from(uploads).where(eq(uploads.objectKey, objectKey)).get());

/**
 * Marks a file as lost whose object is missing at the provider, and frees its space. Returns false if it is not a file.
 */
export const markLost = (db: Db, id: string, by: audit.Actor, now: Date): Promise<boolean> =>
  db.write(async (orm) => {
    const file = await stored(orm, id);
    if (!file) return false;
    const set = { state: "aborted" as const, outcome: "lost" }; // what was in the trash stays there, should it reappear
    await orm.update(uploads).set(set).where(eq(uploads.id, id)).run();
    await addUsed(orm, file.nodeId, -file.size);
    await forgetAllOf(orm, file.objectKey);
    await audit.record(orm, { ...by, action: "file.lost", targetId: id, target: file.filename }, now);
    return true;
  });

/** SQLite's index on a node's uploads ends with the rowid. */
const inInsertOrder = byEngine({ sqlite: sql`rowid`, postgres: sql`${uploads.id}` });

/** Returns the keys of the node's two oldest and two newest files. */
export const sampleKeys = (db: Db, nodeId: string): Promise<string[]> =>
  db.read(async (orm) => {
    const files = async (order: typeof asc | typeof desc) =>
      (
        await orm
          .select({ objectKey: uploads.objectKey })
          .from(uploads)
          .where(and(eq(uploads.nodeId, nodeId), eq(uploads.state, "completed")))
          .orderBy(order(inInsertOrder(orm)))
          .limit(2)
          .all()
      ).map(({ objectKey }) => objectKey);
    return [...new Set([...(await files(asc)), ...(await files(desc))])];
  });

export type LostFile = Pick<Upload, "id" | "objectKey">;

const wasLost = sql`outcome in ('refused', 'lost', 'vanished') and outcome in ('lost', 'vanished')`; // worded like the index

/** Returns files that were lost on the node, by ID, starting after `after`. */
export const lostFiles = (db: Db, nodeId: string, after: string, limit: number): Promise<LostFile[]> =>
  db.read((orm) =>
    orm
      .select({ id: uploads.id, objectKey: uploads.objectKey })
      .from(uploads)
      .where(and(eq(uploads.nodeId, nodeId), wasLost, gt(uploads.id, after)))
      .orderBy(asc(uploads.id))
      .limit(limit)
      .all(),
  );

/** What a node says of a file's object. */
type ObjectFacts = { id: string; size: number; etag: string };

/**
 * Restores a lost file whose object has reappeared unchanged. Returns false if the file was not lost, or the object
 * differs.
 */
export const restoreLost = (db: Db, { id, size, etag }: ObjectFacts, by: audit.Actor, now: Date): Promise<boolean> =>
  db.write(async (orm) => {
    const file = await orm
      .select()
      .from(uploads)
      .where(and(eq(uploads.id, id), eq(uploads.state, "aborted"), wasLost))
      .get();
    if (file?.size !== size || (file.etag ?? etag) !== etag) return false;
    if (file.etag === null && (await isOnDoubtfulNode(orm, file))) return false; // no one has seen that it is complete
    const set = {
      state: "completed" as const,
      outcome: null,
      received: size,
      etag,
      completedAt: file.completedAt ?? now,
    };
    await orm.update(uploads).set(set).where(eq(uploads.id, id)).run();
    await addUsed(orm, file.nodeId, size);
    await audit.record(orm, { ...by, action: "file.found", targetId: id, target: file.filename }, now);
    return true;
  });

async function isOnDoubtfulNode(orm: Orm, { nodeId }: Pick<Upload, "nodeId">): Promise<boolean> {
  const node = await nodeIn(orm, nodeId);
  return node !== undefined && keepsInterrupted(node);
}

/**
 * Takes over the bytes that a file’s object has by now: their number and ETag, and what they show, which is read again.
 * Returns false if it is not a file.
 */
export const correct = (db: Db, { id, size, etag }: ObjectFacts, by: audit.Actor, now: Date): Promise<boolean> =>
  db.write(async (orm) => {
    const file = await stored(orm, id);
    if (!file) return false;
    const measureAt = isPictureType(file.mimeType) ? now : null;
    const unread = { width: null, height: null, picture: null, pictureFailures: 0, measureAt };
    await orm
      .update(uploads)
      .set({ size, etag, checksums: null, ...unread })
      .where(eq(uploads.id, id))
      .run();
    await addUsed(orm, file.nodeId, size - file.size);
    await forgetAllOf(orm, file.objectKey);
    const [action, details] =
      size === file.size
        ? (["file.correct", { etag: `${file.etag} → ${etag}` }] as const)
        : (["file.resize", { size: `${file.size} → ${size}` }] as const);
    await audit.record(orm, { ...by, action, targetId: id, target: file.filename, details }, now);
    return true;
  });

const stored = (orm: Orm, id: string) =>
  orm
    .select()
    .from(uploads)
    .where(and(eq(uploads.id, id), eq(uploads.state, "completed")))
    .get();

/** The bytes exist regardless, so a capacity that is too small for them is raised. */
const addUsed = (orm: Orm, nodeId: string, bytes: number) =>
  orm
    .update(storageNodes)
    .set({
      usedBytes: sql`used_bytes + ${bytes}`,
      capacityBytes: largerOf(sql`capacity_bytes`, sql`used_bytes + reserved_bytes + ${bytes}`),
    })
    .where(eq(storageNodes.id, nodeId))
    .run();

/** Recalculates the node's totals from its rows. */
export const recount = (db: Db, nodeId: string, by: audit.Actor, now: Date): Promise<void> =>
  db.write(async (orm) => {
    const sumOf = (condition: string) =>
      sql<number>`(select coalesce(sum(size), 0) from uploads where node_id = ${nodeId} and state ${sql.raw(condition)})`;
    const used = sql<number>`(${sumOf("= 'completed'")} + ${variantBytes(nodeId)})`;
    const reserved = sumOf("not in ('completed', 'aborted')");
    const capacityBytes = largerOf(sql`capacity_bytes`, sql`${used} + ${reserved}`);
    const node = await orm
      .update(storageNodes)
      .set({ usedBytes: used, reservedBytes: reserved, capacityBytes })
      .where(eq(storageNodes.id, nodeId))
      .returning()
      .get();
    if (!node) return;
    await recordEvent(orm, { verb: "recount", node }, by, now);
  });

const imported =
  "(select coalesce(sum(size), 0) from uploads where node_id = storage_nodes.id and state = 'completed')";
/** The statement that counts the files of nodes which had none before. */
export const countImported = `update storage_nodes set used_bytes = ${imported},
  capacity_bytes = case when capacity_bytes < ${imported} then ${imported} else capacity_bytes end`;
