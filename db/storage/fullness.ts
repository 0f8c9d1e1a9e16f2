import { and, eq, isNotNull, ne, sql } from "drizzle-orm";
import * as audit from "../audit";
import type { Db, Orm } from "../engine/open";
import { storageNodes } from "../schema/storage";
import type { StorageNode } from "./nodes";

/*
 * What is known of a node's room beyond the capacity that people gave it (P83): the server's own figures, and that it
 * refused an upload.
 */

const minuteMs = 60_000;
const minRetryMs = 5 * minuteMs;
const maxRetryMs = 60 * minuteMs;

/** It refused uploads for lack of room, and has not been seen to take them since. */
export const isFull = ({ fullSince }: Pick<StorageNode, "fullSince">): boolean => fullSince !== null;

/** Bytes that uploads may still fill, as far as anybody knows. */
export const freeBytes = ({
  capacityBytes,
  usedBytes,
  reservedBytes,
  toldFreeBytes,
}: Pick<StorageNode, "capacityBytes" | "usedBytes" | "reservedBytes" | "toldFreeBytes">): number =>
  Math.max(0, Math.min(capacityBytes - usedBytes, toldFreeBytes ?? Infinity) - reservedBytes);

/** It takes no file of any size, or refused one. */
export const isOutOfSpace = (node: Parameters<typeof freeBytes>[0] & Parameters<typeof isFull>[0]): boolean =>
  isFull(node) || freeBytes(node) === 0;

/** What the server itself says is free; null when it has no figures for us. */
export const setReportedFree = (db: Db, id: string, bytes: number | null): Promise<void> =>
  db.write((orm) => {
    orm.update(storageNodes).set({ toldFreeBytes: bytes }).where(eq(storageNodes.id, id)).run();
  });

/** `bytes` and more were refused, fewer were taken; `tried` is what to try again later. */
type Refusal = { bytes: number; tried: number; because: string };

/** New uploads of that size go elsewhere. It is tried again after five minutes, then after as long as it was full. */
export const markFull = (db: Db, id: string, { bytes, tried, because }: Refusal, now: Date): Promise<void> =>
  db.write((orm) => {
    const node = find(orm, id);
    if (!node) return;
    const since = node.fullSince ?? now;
    const wait = Math.min(maxRetryMs, Math.max(minRetryMs, now.getTime() - since.getTime()));
    const retryAt = new Date(now.getTime() + wait);
    const set = { fullSince: since, refusedBytes: bytes, retryBytes: tried, retryAt };
    orm.update(storageNodes).set(set).where(eq(storageNodes.id, id)).run();
    if (!isFull(node)) note(orm, "full", node, now, { because });
  });

/** What it had refused was taken. */
export const markNotFull = (db: Db, id: string, now: Date): Promise<void> =>
  db.write((orm) => {
    const node = find(orm, id);
    if (!node || !isFull(node)) return;
    const set = { fullSince: null, refusedBytes: null, retryBytes: null, retryAt: null };
    orm.update(storageNodes).set(set).where(eq(storageNodes.id, id)).run();
    note(orm, "room", node, now);
  });

/** The full nodes whose time has come, or would come later than any may wait (P77). */
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

function note(orm: Orm, verb: "full" | "room", { id, name }: StorageNode, now: Date, details?: Record<string, string>) {
  const event = { actor: "system", action: `storage-node.${verb}` as const, targetId: id, target: name };
  audit.record(orm, { ...event, details }, now);
}
