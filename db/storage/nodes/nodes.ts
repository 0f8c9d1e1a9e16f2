import { asc, eq, type SQL, sql } from "drizzle-orm";
import type { Db, Orm } from "../../engine/open";
import * as audit from "../../audit";
import { largerOf } from "../../engine/dialects";
import { fileVariants, storageNodes, uploads } from "../../schema/storage";

export type StorageNode = typeof storageNodes.$inferSelect;
export type NewNode = Pick<
  typeof storageNodes.$inferInsert,
  | "name"
  | "endpoint"
  | "publicEndpoint"
  | "region"
  | "bucket"
  | "accessKey"
  | "secret"
  | "capacityBytes"
  | "maxPutBytes"
  | "staleUploadHours"
>;

const pauseMs = 60_000;
const tebibyte = 2 ** 40;
const failuresBeforePause = 3;

/** Whether the node is paused: for one minute after three failures in a row, even if the clock was wrong then. */
export const isPaused = ({ downUntil }: Pick<StorageNode, "downUntil">, now: Date) =>
  downUntil !== null && downUntil > now && downUntil.getTime() <= now.getTime() + pauseMs;

/** Returns the largest PUT the node accepts: as registered, or more if the server is known to. */
export const maxPutOf = ({ maxPutBytes, server }: Pick<StorageNode, "maxPutBytes" | "server">): number =>
  /^MinIO(\/|$)/i.test(server ?? "") ? Math.max(maxPutBytes, 5 * tebibyte) : maxPutBytes;

/** Whether the server was seen to keep an interrupted upload as if it were complete. */
export const keepsInterrupted = ({ probe }: Pick<StorageNode, "probe">): boolean => probe?.cut === "listed";

/** Whether a test has found out what the server does with an interrupted upload. */
export const isCutKnown = ({ probe }: Pick<StorageNode, "probe">): boolean => probe?.cut !== undefined;

/** Whether the ETag of a part was seen to be its MD5. Servers that encrypt use something else. */
export const hasMd5Etags = ({ probe }: Pick<StorageNode, "probe">): boolean => probe?.etag === "ok";

/** What only the responses of a node's server say, and not those of another one. */
const heardColumns = ["server", "signedLength", "checkedAt", "checkError", "probe", "toldFreeBytes"] as const;
type HeardColumn = (typeof heardColumns)[number];

export const unheard: Partial<Record<HeardColumn, null>> = Object.fromEntries(
  heardColumns.map((column) => [column, null]),
);

/** Keeps it if the endpoint is the same. */
const asHeardAt = (endpoint: string): Partial<Record<HeardColumn, SQL>> =>
  Object.fromEntries(
    heardColumns.map((column) => [
      column,
      sql`case when ${storageNodes.endpoint} = ${endpoint} then ${storageNodes[column]} end`,
    ]),
  );

/**
 * Creates or updates the node of that name from the configuration. A capacity below what is already used and reserved
 * is raised to that. A drained node stays drained.
 */
export const register = (db: Db, node: NewNode): Promise<StorageNode> =>
  db.write((orm) =>
    orm
      .insert(storageNodes)
      .values(node)
      .onConflictDoUpdate({
        target: storageNodes.name,
        set: {
          ...node,
          ...asHeardAt(node.endpoint),
          capacityBytes: largerOf(
            sql`cast(${node.capacityBytes} as bigint)`,
            sql`${storageNodes.usedBytes} + ${storageNodes.reservedBytes}`,
          ),
          state: sql`case when ${storageNodes.state} = 'down' then 'active' else ${storageNodes.state} end`,
          failures: 0,
          downUntil: null,
        },
      })
      .returning()
      .get(),
  );

/** Takes the node out of use until it is registered again. */
export const retire = (db: Db, name: string): Promise<void> =>
  db.write(async (orm) => {
    await orm.update(storageNodes).set({ state: "down" }).where(eq(storageNodes.name, name)).run();
  });

export const list = (db: Db): Promise<StorageNode[]> =>
  db.read((orm) => orm.select().from(storageNodes).orderBy(asc(storageNodes.name)).all());

export const nodeIn = (orm: Orm, id: string) => orm.select().from(storageNodes).where(eq(storageNodes.id, id)).get();

export const find = (db: Db, id: string): Promise<StorageNode | undefined> => db.read((orm) => nodeIn(orm, id));

export const byName = (db: Db, name: string): Promise<StorageNode | undefined> =>
  db.read((orm) => orm.select().from(storageNodes).where(eq(storageNodes.name, name)).get());

/**
 * Counts a failed call. The third in a row pauses the node, which is recorded in the audit log. Returns the updated
 * node.
 *
 * @param code what went wrong, in one word
 */
export const recordFailure = (db: Db, id: string, code: string, now: Date): Promise<StorageNode | undefined> =>
  db.write(async (orm) => {
    const node = await orm
      .update(storageNodes)
      .set({
        failures: sql`failures + 1`,
        downUntil: sql`case when failures + 1 >= ${failuresBeforePause} then ${now.getTime() + pauseMs} else down_until end`,
      })
      .where(eq(storageNodes.id, id))
      .returning()
      .get();
    if (node?.failures === failuresBeforePause)
      await recordEvent(orm, { verb: "rest", node, details: { because: code } }, system, now);
    return node;
  });

/**
 * Records a successful call: resets the failures, and if the node was paused, records in the audit log that it resumed.
 */
export const recordSuccess = (db: Db, id: string, now: Date): Promise<void> =>
  db.write(async (orm) => {
    const before = await nodeIn(orm, id);
    if (!before?.failures) return;
    await orm.update(storageNodes).set({ failures: 0, downUntil: null }).where(eq(storageNodes.id, id)).run();
    if (before.downUntil) await recordEvent(orm, { verb: "return", node: before }, system, now);
  });

export const system: audit.Actor = { actor: "system" };

type NodeEvent = {
  verb: audit.AuditVerb<"storage-node">;
  node: StorageNode;
  details?: Record<string, string> | undefined;
};

/** Records in the audit log what happened to a node. */
export const recordEvent = (
  orm: Orm,
  { verb, node: { id, name }, details }: NodeEvent,
  by: audit.Actor,
  now: Date,
): Promise<void> =>
  audit.record(orm, { ...by, action: `storage-node.${verb}`, targetId: id, target: name, details }, now);

/**
 * The result of a probe: whether a wrong length is rejected, what is wrong with the node, and the result of each check.
 */
type ProbeResult = {
  /** The server's name for itself; undefined if it did not respond. */
  server?: string | undefined;
  signedLength?: boolean | undefined;
  error?: string | undefined;
  findings?: Record<string, string>;
};

/** Stores the result of a probe. */
export const saveProbe = (db: Db, id: string, { server, signedLength, error, findings }: ProbeResult, now: Date) =>
  db.write(async (orm) => {
    const set = {
      checkedAt: now,
      checkError: error ?? null,
      ...(findings && { probe: findings }),
      ...(server !== undefined && { server }),
      ...(signedLength !== undefined && { signedLength }),
    };
    await orm.update(storageNodes).set(set).where(eq(storageNodes.id, id)).run();
  });

/** The bytes of the sizes of pictures on a node, as an expression. */
export const variantBytes = (nodeId: SQL | string) =>
  sql`(select coalesce(sum(v.bytes), 0) from ${fileVariants} v where v.node_id = ${nodeId})`;

/** Returns nodes whose totals differ from their uploads. There are none, unless someone edited the database. */
export const imbalances = (db: Db) =>
  db.read((orm) => {
    const sumOf = (condition: string) =>
      sql<number>`coalesce(sum(case when ${uploads.state} ${sql.raw(condition)} then ${uploads.size} end), 0)`;
    const used = sql`${sumOf("= 'completed'")} + ${variantBytes(sql`${storageNodes.id}`)}`.mapWith(Number); // PostgreSQL sums to texts
    const reserved = sumOf("not in ('completed', 'aborted')").mapWith(Number);
    return orm
      .select({ name: storageNodes.name, used, reserved })
      .from(storageNodes)
      .leftJoin(uploads, eq(uploads.nodeId, storageNodes.id))
      .groupBy(storageNodes.id)
      .having(sql`${used} != ${storageNodes.usedBytes} or ${reserved} != ${storageNodes.reservedBytes}`)
      .all();
  });
