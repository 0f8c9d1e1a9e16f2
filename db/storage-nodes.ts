import { and, asc, eq, sql } from "drizzle-orm";
import type { Db } from ".";
import { storageNodes, uploads } from "./schema";

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
>;

const restFor = 60_000;
const failuresAllowed = 3;

/** A node that failed three times in a row is left alone for a minute. */
export const isResting = ({ downUntil }: Pick<StorageNode, "downUntil">, now: Date) =>
  downUntil !== null && downUntil > now;

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
          capacityBytes: sql`max(${node.capacityBytes}, used_bytes + reserved_bytes)`,
          state: sql`iif(state = 'down', 'active', state)`,
          failures: 0,
          downUntil: null,
        },
      })
      .returning()
      .get(),
  );

/** Adds a node. Undefined when the name is taken. */
export const add = (db: Db, node: NewNode): Promise<StorageNode | undefined> =>
  db.write((orm) => orm.insert(storageNodes).values(node).onConflictDoNothing().returning().get());

/** The node does not run any more: nothing is asked of it until it is registered again. */
export const retire = (db: Db, name: string): Promise<void> =>
  db.write((orm) => {
    const active = and(eq(storageNodes.name, name), eq(storageNodes.state, "active"));
    orm.update(storageNodes).set({ state: "down" }).where(active).run();
  });

/** A drained node takes no new uploads; those it has go on. Undefined when there is no such node. */
export const drain = (db: Db, id: string) => setState(db, id, "draining");
export const activate = (db: Db, id: string) => setState(db, id, "active");

const setState = (db: Db, id: string, state: StorageNode["state"]): Promise<StorageNode | undefined> =>
  db.write((orm) => orm.update(storageNodes).set({ state }).where(eq(storageNodes.id, id)).returning().get());

export const list = (db: Db): Promise<StorageNode[]> =>
  db.read((orm) => orm.select().from(storageNodes).orderBy(asc(storageNodes.name)).all());

export const find = (db: Db, id: string): Promise<StorageNode | undefined> =>
  db.read((orm) => orm.select().from(storageNodes).where(eq(storageNodes.id, id)).get());

export const byName = (db: Db, name: string): Promise<StorageNode | undefined> =>
  db.read((orm) => orm.select().from(storageNodes).where(eq(storageNodes.name, name)).get());

/** Counts a failed call; the third in a row sends the node to rest. Returns the node as it is now. */
export const failed = (db: Db, id: string, now: Date): Promise<StorageNode | undefined> =>
  db.write((orm) =>
    orm
      .update(storageNodes)
      .set({
        failures: sql`failures + 1`,
        downUntil: sql`iif(failures + 1 >= ${failuresAllowed}, ${now.getTime() + restFor}, down_until)`,
      })
      .where(eq(storageNodes.id, id))
      .returning()
      .get(),
  );

export const recovered = (db: Db, id: string): Promise<void> =>
  db.write((orm) => {
    orm.update(storageNodes).set({ failures: 0, downUntil: null }).where(eq(storageNodes.id, id)).run();
  });

/** Keeps what a probe found: whether a wrong length is refused, or what is wrong with the node. */
export const probed = (db: Db, id: string, found: { signedLength?: boolean; error?: string }, now: Date) =>
  db.write((orm) => {
    const { signedLength, error } = found;
    const set = { checkedAt: now, checkError: error ?? null, ...(signedLength !== undefined && { signedLength }) };
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
