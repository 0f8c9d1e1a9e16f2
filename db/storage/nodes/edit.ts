import { and, count, desc, eq, gte, like, max, ne, notInArray, sql } from "drizzle-orm";
import type { Db, Orm } from "../../engine/open";
import * as audit from "../../audit";
import { deleteInCommits } from "../../lib/bulk";
import { auditEvents } from "../../schema/audit";
import { fileVariants, storageNodes, uploads } from "../../schema/storage";
import { type NewNode, nodeIn, recordEvent, type StorageNode, unheard } from "./nodes";

/*
 * Managers' changes to storage nodes. Each change and its audit log entry are one transaction (D40); the entry never
 * contains a secret.
 */

/** Adds a node. Returns undefined if the name is taken. */
export const add = (db: Db, node: NewNode, by: audit.Actor, now: Date): Promise<StorageNode | undefined> =>
  db.write(async (orm) => {
    const added = await orm
      .insert(storageNodes)
      .values({ ...node, createdAt: now })
      .onConflictDoNothing()
      .returning()
      .get();
    if (added)
      await recordEvent(
        orm,
        { verb: "add", node: added, details: { endpoint: added.endpoint, bucket: added.bucket } },
        by,
        now,
      );
    return added;
  });

export type EditResult =
  | { outcome: "edited"; node: StorageNode }
  | { outcome: "gone" }
  /** Another node has the name. */
  | { outcome: "taken" }
  /** The node has this many used and reserved bytes, so its capacity cannot be lower. */
  | { outcome: "too-small"; minBytes: number };

/** Changes the given fields. A paused node gets another chance, because the cause may have been fixed. */
export const edit = (
  db: Db,
  { id, changes }: { id: string; changes: Partial<NewNode> },
  by: audit.Actor,
  now: Date,
): Promise<EditResult> =>
  db.write(async (orm): Promise<EditResult> => {
    const before = await nodeIn(orm, id);
    if (!before) return { outcome: "gone" };
    const minBytes = before.usedBytes + before.reservedBytes;
    if ((changes.capacityBytes ?? minBytes) < minBytes) return { outcome: "too-small", minBytes };
    if (changes.name && (await hasOther(orm, changes.name, id))) return { outcome: "taken" };
    const isElsewhere = changes.endpoint !== undefined && changes.endpoint !== before.endpoint;
    const set = { ...changes, failures: 0, downUntil: null, ...(isElsewhere && unheard) };
    const node = (await orm.update(storageNodes).set(set).where(eq(storageNodes.id, id)).returning().get()) ?? before;
    await recordEvent(orm, { verb: "edit", node, details: differences(before, changes) }, by, now);
    return { outcome: "edited", node };
  });

const hasOther = async (orm: Orm, name: string, id: string) =>
  (await orm
    .select({ id: storageNodes.id })
    .from(storageNodes)
    .where(and(eq(storageNodes.name, name), ne(storageNodes.id, id)))
    .get()) !== undefined;

/** Returns "before → after" for each changed field; for keys only that they changed. */
function differences(before: StorageNode, changes: Partial<NewNode>): Record<string, string> {
  const { secret, accessKey, ...plain } = changes;
  const changed = Object.entries(plain).flatMap(([field, after]) => {
    const was = before[field as keyof typeof plain];
    return after === undefined || after === was ? [] : [[field, `${was} → ${after}`]];
  });
  return Object.fromEntries([...changed, ...(secret || accessKey ? [["keys", "replaced"]] : [])]);
}

/**
 * Stops new uploads to the node; uploads in progress and downloads continue. Returns undefined if there is no such
 * node.
 */
export const drain = (db: Db, id: string, by: audit.Actor, now: Date) => setState(db, { id, verb: "drain" }, by, now);

/** Allows uploads to the node again. Returns undefined if there is no such node. */
export const activate = (db: Db, id: string, by: audit.Actor, now: Date) =>
  setState(db, { id, verb: "activate" }, by, now);

/** A node that is out of use stays so; only the configuration can bring it back. */
const setState = (db: Db, { id, verb }: { id: string; verb: "drain" | "activate" }, by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<StorageNode | undefined> => {
    const state = verb === "drain" ? "draining" : "active";
    const isOther = and(eq(storageNodes.id, id), notInArray(storageNodes.state, [state, "down"]));
    const node = await orm.update(storageNodes).set({ state }).where(isOther).returning().get();
    if (node) await recordEvent(orm, { verb, node }, by, now);
    return node ?? (await nodeIn(orm, id));
  });

type Removed =
  | { outcome: "removed"; node: StorageNode }
  | { outcome: "gone" }
  /** It holds files (including the trash) or uploads in progress. */
  | { outcome: "not-empty"; files: number; uploads: number };

/** Removes an empty node. Its cancelled uploads are deleted first, because there may be many. */
export async function remove(db: Db, id: string, by: audit.Actor, now: Date): Promise<Removed> {
  const held = await contentsOf(db, id);
  const isCancelled = and(eq(uploads.nodeId, id), eq(uploads.state, "aborted"));
  if (!isHeld(held)) await deleteInCommits(db, { table: uploads, key: [uploads.id], where: isCancelled });
  return db.write(async (orm): Promise<Removed> => {
    const node = await nodeIn(orm, id);
    if (!node) return { outcome: "gone" };
    const held = await contents(orm, id);
    if (isHeld(held)) return { outcome: "not-empty", ...held };
    await orm.delete(uploads).where(eq(uploads.nodeId, id)).run();
    await orm.delete(fileVariants).where(eq(fileVariants.nodeId, id)).run();
    await orm.delete(storageNodes).where(eq(storageNodes.id, id)).run();
    await recordEvent(orm, { verb: "remove", node }, by, now);
    return { outcome: "removed", node };
  });
}

const isHeld = ({ files, uploads }: { files: number; uploads: number }) => files > 0 || uploads > 0;

/** Counts a node's files, including the trash, and its uploads in progress. */
export const contentsOf = (db: Db, id: string) => db.read((orm) => contents(orm, id));

/** Returns recent events of a node, newest first. */
export const history = (db: Db, id: string) =>
  db.read((orm) =>
    orm
      .select()
      .from(auditEvents)
      .where(and(eq(auditEvents.targetId, id), like(auditEvents.action, "storage-node.%")))
      .orderBy(desc(auditEvents.createdAt), desc(auditEvents.id))
      .limit(6)
      .all(),
  );

/** Returns when each node last resumed, if that was after `since`. */
export const lastResumed = (db: Db, since: Date): Promise<Map<string, Date>> =>
  db.read(async (orm) => {
    const rows = await orm
      .select({ id: auditEvents.targetId, at: max(auditEvents.createdAt) })
      .from(auditEvents)
      .where(and(eq(auditEvents.action, "storage-node.return"), gte(auditEvents.createdAt, since)))
      .groupBy(auditEvents.targetId)
      .all();
    return new Map(rows.flatMap(({ id, at }) => (id && at ? [[id, at]] : [])));
  });

async function contents(orm: Orm, nodeId: string) {
  const alive = and(eq(uploads.nodeId, nodeId), ne(uploads.state, "aborted"));
  const [row] = await orm
    .select({ all: count(), files: sql<number>`count(*) filter (where ${uploads.state} = 'completed')` })
    .from(uploads)
    .where(alive)
    .all();
  const { all = 0, files = 0 } = row ?? {};
  return { files, uploads: all - files };
}
