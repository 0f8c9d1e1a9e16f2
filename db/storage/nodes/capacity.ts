import { and, desc, eq, gte, isNotNull, ne, sql } from "drizzle-orm";
import { dayMs, hourMs } from "../../lib/time";
import { forUpdate, byEngine, largerOf, smallerOf } from "../../engine/dialects";
import { type Db, type Orm, prepared } from "../../engine/open";
import { storageNodes } from "../../schema/storage";
import { nodeIn, recordEvent, type StorageNode, system } from "./nodes";

/*
 * The free space of the nodes: their capacity minus used and reserved bytes, or less if they report so
 * (docs/decisions/storage-nodes.md).
 */

const free = sql`${smallerOf(sql`capacity_bytes - used_bytes`, sql`coalesce(told_free_bytes, capacity_bytes)`)} - reserved_bytes`;

/** Whether the node has not rejected an upload of that size or smaller recently: for everyone, or for this client. */
const acceptsSize = sql`coalesce(refused_bytes > ${sql.placeholder("size")}, true) and not exists (
  select 1 from uploads where uploads.node_id = storage_nodes.id
    and outcome in ('refused', 'lost', 'vanished') and outcome = 'refused' -- in the words of the index
    and uploads.created_at between ${sql.placeholder("yesterday")} and ${sql.placeholder("now")} and next_check_at > ${sql.placeholder("lately")}
    and provider_upload_id is not null and uploads.size <= ${sql.placeholder("size")}
    and coalesce(api_key_id, manager_id) = ${sql.placeholder("client")})`;

const withSpace = prepared((orm) =>
  orm
    .select()
    .from(storageNodes)
    .where(and(eq(storageNodes.state, "active"), gte(free, sql.placeholder("size")), acceptsSize))
    .orderBy(desc(free), storageNodes.id)
    .prepare(),
);
const lockRows = prepared((orm) =>
  orm.select({ id: storageNodes.id }).from(storageNodes).orderBy(forUpdate(storageNodes.id)).prepare(),
);

/**
 * Keeps others from taking space until the transaction ends. The order is always the same, so that no two transactions
 * wait for each other.
 */
export const lockNodes = byEngine<(orm: Orm) => Promise<void>>({
  sqlite: async () => {}, // SQLite has only one write transaction at a time
  postgres: async (orm) => void (await lockRows(orm).all()),
});

type Wanted = { size: number; apiKeyId?: string | undefined; managerId?: string | undefined };

/**
 * Returns the active nodes that have enough free space and accept this size from this client, most free space first.
 */
export const nodesWithSpace = (orm: Orm, { size, apiKeyId, managerId }: Wanted, now: Date): Promise<StorageNode[]> =>
  withSpace(orm).all({
    size,
    client: apiKeyId ?? managerId ?? "",
    yesterday: now.getTime() - dayMs + 1,
    now: now.getTime(), // excludes reports made while the clock was ahead
    lately: now.getTime() - hourMs / 6,
  });

const used = sql`cast(${sql.placeholder("used")} as bigint)`;
const adjust = prepared((orm) =>
  orm
    .update(storageNodes)
    .set({
      reservedBytes: sql`reserved_bytes + ${sql.placeholder("reserved")}`,
      usedBytes: sql`used_bytes + ${sql.placeholder("used")}`,
      toldFreeBytes: largerOf(sql`0`, sql`told_free_bytes - ${largerOf(sql`0`, used)}`), // null stays null
    })
    .where(eq(storageNodes.id, sql.placeholder("id")))
    .prepare(),
);

/** Adds to the node's reserved and used bytes; negative values subtract. */
export const adjustBytes = async (orm: Orm, id: string, { reserved = 0, used = 0 }): Promise<void> =>
  void (await adjust(orm).run({ id, reserved, used }));

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
    const node = await nodeIn(orm, id);
    if (!node) return;
    const since = node.fullSince ?? now;
    const wait = Math.min(maxRetryMs, Math.max(minRetryMs, now.getTime() - since.getTime()));
    const retryAt = new Date(now.getTime() + wait);
    const set = { fullSince: since, refusedBytes: bytes, retryBytes: tried, retryAt };
    await orm.update(storageNodes).set(set).where(eq(storageNodes.id, id)).run();
    if (!isFull(node)) await recordEvent(orm, { verb: "full", node, details: { because } }, system, now);
  });

/** Records that the size it had rejected was accepted. */
export const markNotFull = (db: Db, id: string, now: Date): Promise<void> =>
  db.write(async (orm) => {
    const node = await nodeIn(orm, id);
    if (!node || !isFull(node)) return;
    const set = { fullSince: null, refusedBytes: null, retryBytes: null, retryAt: null };
    await orm.update(storageNodes).set(set).where(eq(storageNodes.id, id)).run();
    await recordEvent(orm, { verb: "room", node }, system, now);
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
