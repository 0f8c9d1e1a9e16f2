import { and, desc, eq, gte, sql } from "drizzle-orm";
import { byEngine } from "../../engine/by-engine";
import { type Orm, prepared } from "../../engine/open";
import { largerOf, smallerOf } from "../../lib/larger";
import { storageNodes } from "../../schema/storage";
import type { StorageNode } from "./nodes";

/*
 * The free space of the nodes: their capacity minus used and reserved bytes, or less if they report so
 * (docs/decisions/storage-nodes.md).
 */

const free = sql`${smallerOf(sql`capacity_bytes - used_bytes`, sql`coalesce(told_free_bytes, capacity_bytes)`)} - reserved_bytes`;
const hour = 3_600_000;

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
  orm
    .select({ id: storageNodes.id })
    .from(storageNodes)
    .orderBy(sql`${storageNodes.id} /*pg for update */`)
    .prepare(),
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
    yesterday: now.getTime() - 24 * hour + 1,
    now: now.getTime(), // excludes reports made while the clock was ahead
    lately: now.getTime() - hour / 6,
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
