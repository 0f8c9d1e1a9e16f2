import { and, eq, isNotNull, ne, sql } from "drizzle-orm";
import * as audit from "../../audit";
import type { Db, Orm } from "../../engine/open";
import { storageNodes } from "../../schema/storage";
import type { StorageNode } from "./nodes";

/*
 * What is known about a node's free space beyond its configured capacity (docs/decisions/storage-nodes.md): the
 * server's own figures, and uploads it rejected.
 */

const minuteMs = 60_000;
const minRetryMs = 5 * minuteMs;
const maxRetryMs = 60 * minuteMs;

/** Whether it rejected uploads for lack of space and has not been seen to accept them since. */
export const isFull = ({ fullSince }: Pick<StorageNode, "fullSince">): boolean => fullSince !== null;

type Space = Pick<StorageNode, "capacityBytes" | "usedBytes" | "reservedBytes" | "toldFreeBytes" | "refusedBytes">;

/** Returns how many bytes uploads may still use, as far as is known: less than it has rejected, whatever it reports. */
export const freeBytes = ({ capacityBytes, usedBytes, reservedBytes, toldFreeBytes, refusedBytes }: Space): number =>
  Math.max(
    0,
    Math.min(
      Math.min(capacityBytes - usedBytes, toldFreeBytes ?? Infinity) - reservedBytes,
      (refusedBytes ?? Infinity) - 1,
    ),
  );

/** Whether it accepts no file of any size, or rejected one. */
export const isOutOfSpace = (node: Parameters<typeof freeBytes>[0] & Parameters<typeof isFull>[0]): boolean =>
  isFull(node) || freeBytes(node) === 0;

/** Stores the free space the server reports; null if it reports none. */
export const setReportedFree = (db: Db, id: string, bytes: number | null): Promise<void> =>
  db.write(async (orm) => {
    await orm.update(storageNodes).set({ toldFreeBytes: bytes }).where(eq(storageNodes.id, id)).run();
  });

/** `bytes` and more were rejected, fewer were accepted; `tried` is the size to try again. */
type Refusal = { bytes: number; tried: number; because: string };

/**
 * Sends new uploads of that size elsewhere. The node is tried again after five minutes, then after as long as it has
 * been full.
 */
export const markFull = (db: Db, id: string, { bytes, tried, because }: Refusal, now: Date): Promise<void> =>
  db.write(async (orm) => {
    const node = await find(orm, id);
    if (!node) return;
    const since = node.fullSince ?? now;
    const wait = Math.min(maxRetryMs, Math.max(minRetryMs, now.getTime() - since.getTime()));
    const retryAt = new Date(now.getTime() + wait);
    const set = { fullSince: since, refusedBytes: bytes, retryBytes: tried, retryAt };
    await orm.update(storageNodes).set(set).where(eq(storageNodes.id, id)).run();
    if (!isFull(node)) await recordEvent(orm, { verb: "full", node, details: { because } }, now);
  });

/** Records that the size it had rejected was accepted. */
export const markNotFull = (db: Db, id: string, now: Date): Promise<void> =>
  db.write(async (orm) => {
    const node = await find(orm, id);
    if (!node || !isFull(node)) return;
    const set = { fullSince: null, refusedBytes: null, retryBytes: null, retryAt: null };
    await orm.update(storageNodes).set(set).where(eq(storageNodes.id, id)).run();
    await recordEvent(orm, { verb: "room", node }, now);
  });

/** Returns the full nodes due for another try, or scheduled later than the maximum delay, by a clock that was ahead. */
export const toRetry = (db: Db, now: Date): Promise<StorageNode[]> =>
  db.read((orm) =>
    orm
      .select()
      .from(storageNodes)
      .where(
        and(
          ne(storageNodes.state, "down"),
          isNotNull(storageNodes.fullSince),
          sql`(retry_at <= ${now.getTime()} or retry_at > ${now.getTime() + maxRetryMs})`,
        ),
      )
      .all(),
  );

const find = (orm: Orm, id: string) => orm.select().from(storageNodes).where(eq(storageNodes.id, id)).get();

async function recordEvent(
  orm: Orm,
  {
    verb,
    node: { id, name },
    details,
  }: { verb: "full" | "room"; node: StorageNode; details?: Record<string, string> | undefined },
  now: Date,
) {
  const event = { actor: "system", action: `storage-node.${verb}` as const, targetId: id, target: name };
  await audit.record(orm, { ...event, details }, now);
}
