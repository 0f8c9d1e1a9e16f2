import { asc, eq, sql } from "drizzle-orm";
import type { Db } from "../engine/open";
import * as audit from "../audit";
import { storageNodes, uploads } from "../schema/storage";

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

/** A node that failed three times in a row is left alone for a minute, whatever the clock said then (P77). */
export const isPaused = ({ downUntil }: Pick<StorageNode, "downUntil">, now: Date) =>
  downUntil !== null && downUntil > now && downUntil.getTime() <= now.getTime() + pauseMs;

/** The most that one PUT may carry to the node: what it was registered with, or more where the server is known (P86). */
export const maxPutOf = ({ maxPutBytes, server }: Pick<StorageNode, "maxPutBytes" | "server">): number =>
  /^MinIO(\/|$)/i.test(server ?? "") ? Math.max(maxPutBytes, 5 * tebibyte) : maxPutBytes;

/**
 * Makes the node of that name what the configuration says, new or not. A capacity below what is already promised
 * becomes exactly that. A node that a manager drains stays so.
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
          server: sql`iif(endpoint = ${node.endpoint}, server, null)`,
          capacityBytes: sql`max(${node.capacityBytes}, used_bytes + reserved_bytes)`,
          state: sql`iif(state = 'down', 'active', state)`,
          failures: 0,
          downUntil: null,
        },
      })
      .returning()
      .get(),
  );

/** The node does not run any more: nothing is asked of it until it is registered again. */
export const retire = (db: Db, name: string): Promise<void> =>
  db.write((orm) => {
    orm.update(storageNodes).set({ state: "down" }).where(eq(storageNodes.name, name)).run();
  });

export const list = (db: Db): Promise<StorageNode[]> =>
  db.read((orm) => orm.select().from(storageNodes).orderBy(asc(storageNodes.name)).all());

export const find = (db: Db, id: string): Promise<StorageNode | undefined> =>
  db.read((orm) => orm.select().from(storageNodes).where(eq(storageNodes.id, id)).get());

export const byName = (db: Db, name: string): Promise<StorageNode | undefined> =>
  db.read((orm) => orm.select().from(storageNodes).where(eq(storageNodes.name, name)).get());

/**
 * Counts a failed call; the third in a row sends the node to rest, which is noted for people to see. Returns the node as
 * it is now.
 *
 * @param code what went wrong, in one word
 */
export const recordFailure = (db: Db, id: string, code: string, now: Date): Promise<StorageNode | undefined> =>
  db.write((orm) => {
    const node = orm
      .update(storageNodes)
      .set({
        failures: sql`failures + 1`,
        downUntil: sql`iif(failures + 1 >= ${failuresBeforePause}, ${now.getTime() + pauseMs}, down_until)`,
      })
      .where(eq(storageNodes.id, id))
      .returning()
      .get();
    if (node?.failures === failuresBeforePause)
      audit.record(orm, { ...system, action: "storage-node.rest", ...targetOf(node), details: { because: code } }, now);
    return node;
  });

/** A call went well: the node is in full use again, and if it had rested, that is noted too. */
export const recordSuccess = (db: Db, id: string, now: Date): Promise<void> =>
  db.write((orm) => {
    const before = orm.select().from(storageNodes).where(eq(storageNodes.id, id)).get();
    if (!before?.failures) return;
    orm.update(storageNodes).set({ failures: 0, downUntil: null }).where(eq(storageNodes.id, id)).run();
    if (before.downUntil) audit.record(orm, { ...system, action: "storage-node.return", ...targetOf(before) }, now);
  });

const system = { actor: "system" };
const targetOf = ({ id, name }: StorageNode) => ({ targetId: id, target: name });

/** What a probe found: whether a wrong length is refused, what is wrong with the node, and the rest check by check. */
type ProbeResult = {
  /** What the server calls itself; undefined when it was not heard. */
  server?: string | undefined;
  signedLength?: boolean | undefined;
  error?: string | undefined;
  findings?: Record<string, string>;
};

/** Keeps what a probe found. */
export const saveProbe = (db: Db, id: string, { server, signedLength, error, findings }: ProbeResult, now: Date) =>
  db.write((orm) => {
    const set = {
      checkedAt: now,
      checkError: error ?? null,
      ...(findings && { probe: findings }),
      ...(server !== undefined && { server }),
      ...(signedLength !== undefined && { signedLength }),
    };
    orm.update(storageNodes).set(set).where(eq(storageNodes.id, id)).run();
  });

/** Nodes whose sums are not those of their uploads. There are none, unless somebody edited the database. */
export const imbalances = (db: Db) =>
  db.read((orm) => {
    const sumOf = (condition: string) =>
      sql<number>`coalesce(sum(case when ${uploads.state} ${sql.raw(condition)} then ${uploads.size} end), 0)`;
    const used = sumOf("= 'completed'");
    const reserved = sumOf("not in ('completed', 'aborted')");
    return orm
      .select({ name: storageNodes.name, used, reserved })
      .from(storageNodes)
      .leftJoin(uploads, eq(uploads.nodeId, storageNodes.id))
      .groupBy(storageNodes.id)
      .having(sql`${used} != ${storageNodes.usedBytes} or ${reserved} != ${storageNodes.reservedBytes}`)
      .all();
  });
