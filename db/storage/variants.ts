import { and, asc, eq, gt, isNotNull, isNull, sql } from "drizzle-orm";
import { type Db, type Orm, prepared, textParameter } from "../engine/open";
import { clockSlackMs } from "../lib/time";
import { fileVariants as variants, storageNodes, uploads } from "../schema/storage";
import * as capacity from "./nodes/capacity";

/*
 * The sizes of pictures, made when first asked for, beside their file on its node. Whoever makes one first claims its
 * row, so that of several processes one does it, and nothing is on a node without a row here. They belong to an object,
 * not to a file, whose object may be replaced; deleting the object deletes them.
 */

/** Where they are in the bucket. Files are in `u/`. */
export const variantPrefix = "variants/";

/** What the keys of an object's variants begin with. */
export const keysOf = (objectKey: string) => `${variantPrefix}${objectKey.replace(/^u\//, "")}/`;

/** How long a process may take before another one tries as well. */
export const claimMs = 15_000;

type Place = { key: string; nodeId: string };
/** One that this process is making. */
export type Claim = Place & { claimedUntil: Date };

const ready = prepared((orm) =>
  orm
    .select({ key: variants.key })
    .from(variants)
    .where(and(eq(variants.key, textParameter("key")), isNotNull(variants.readyAt)))
    .prepare(),
);

export const isReady = (db: Db, key: string): Promise<boolean> =>
  db.read(async (orm) => (await ready(orm).get({ key })) !== undefined);

/** Returns the claim; or that the size is ready, or that another process is making it. */
export const claim = (db: Db, { key, nodeId }: Place, now: Date): Promise<Claim | "ready" | "busy"> =>
  db.write(async (orm) => {
    const claimedUntil = new Date(now.getTime() + claimMs);
    const tooLate = claimedUntil.getTime() + clockSlackMs; // a clock that was ahead keeps no one out
    const row = await orm
      .insert(variants)
      .values({ key, nodeId, claimedUntil })
      .onConflictDoUpdate({
        target: variants.key,
        set: { claimedUntil },
        setWhere: sql`${variants.readyAt} is null and (${variants.claimedUntil} < ${now.getTime()} or ${variants.claimedUntil} > ${tooLate})`,
      })
      .returning()
      .get();
    if (row) return { key, nodeId, claimedUntil };
    return (await ready(orm).get({ key })) ? "ready" : "busy";
  });

const ofClaim = ({ key, claimedUntil }: Claim) =>
  and(eq(variants.key, key), isNull(variants.readyAt), eq(variants.claimedUntil, claimedUntil));

/** Gives up: the next request may claim it. */
export const release = (db: Db, made: Claim): Promise<void> =>
  db.write(async (orm) => void (await orm.delete(variants).where(ofClaim(made)).run()));

/** Whether this much fits on the node beside what is there and reserved. */
export const fits = (db: Db, { nodeId }: Pick<Place, "nodeId">, bytes: number): Promise<boolean> =>
  db.read((orm) => hasSpace(orm, nodeId, bytes));

async function hasSpace(orm: Orm, nodeId: string, bytes: number): Promise<boolean> {
  const node = await orm.select().from(storageNodes).where(eq(storageNodes.id, nodeId)).get();
  return node !== undefined && bytes <= capacity.freeBytes(node);
}

/**
 * Records that the object is on its node, and counts its bytes. Returns false if it is no longer wanted, and must be
 * removed: the file was deleted, another process was faster, or the node is full. One that was late is as good, as long
 * as none is ready: of processes that are all too slow, the first one is done.
 */
export const finish = (
  db: Db,
  { objectKey, bytes, ...made }: Claim & { objectKey: string; bytes: number },
  now: Date,
) =>
  db.write(async (orm): Promise<boolean> => {
    const isOfFile = and(eq(uploads.objectKey, objectKey), eq(uploads.state, "completed"));
    const file = await orm.select({ id: uploads.id }).from(uploads).where(isOfFile).get();
    if (!file || !(await hasSpace(orm, made.nodeId, bytes))) {
      await orm.delete(variants).where(ofClaim(made)).run();
      return false;
    }
    const isMissing = and(eq(variants.key, made.key), isNull(variants.readyAt));
    const row = await orm.update(variants).set({ bytes, readyAt: now }).where(isMissing).returning().get();
    if (row) await capacity.adjustBytes(orm, made.nodeId, { used: bytes });
    return row !== undefined;
  });

const ofObject = (objectKey: string) => {
  const prefix = keysOf(objectKey);
  return sql`(${variants.key} >= ${prefix} and ${variants.key} < ${`${prefix.slice(0, -1)}0`})`; // "0" follows "/"
};

/** Returns the keys of the sizes made of an object. */
export const keysMadeOf = (db: Db, objectKey: string): Promise<string[]> =>
  db.read(async (orm) =>
    (await orm.select({ key: variants.key }).from(variants).where(ofObject(objectKey)).all()).map(({ key }) => key),
  );

/** Forgets the sizes of an object that is gone, and frees their space. */
export async function forgetAllOf(orm: Orm, objectKey: string): Promise<void> {
  const rows = await orm.delete(variants).where(ofObject(objectKey)).returning().all();
  for (const { nodeId, bytes } of rows) await capacity.adjustBytes(orm, nodeId, { used: -bytes });
}

/** Forgets one whose object is missing, so that it is made again. Returns false if that has already happened. */
export const forget = (db: Db, key: string): Promise<boolean> =>
  db.write(async (orm) => {
    const row = await orm
      .delete(variants)
      .where(and(eq(variants.key, key), isNotNull(variants.readyAt)))
      .returning()
      .get();
    if (row) await capacity.adjustBytes(orm, row.nodeId, { used: -row.bytes });
    return row !== undefined;
  });

type StoredVariant = { key: string; bytes: number; isReady: boolean };

/** Yields those of a node, in byte order of their keys. */
export async function* storedVariants(db: Db, nodeId: string): AsyncGenerator<StoredVariant> {
  for (let after: string | undefined = ""; after !== undefined;) {
    const start: string = after;
    const rows = await db.read((orm) =>
      orm
        .select()
        .from(variants)
        .where(and(eq(variants.nodeId, nodeId), gt(variants.key, start)))
        .orderBy(asc(variants.key))
        .limit(1_000)
        .all(),
    );
    for (const { key, bytes, readyAt } of rows) yield { key, bytes, isReady: readyAt !== null };
    after = rows.at(-1)?.key;
  }
}

/** Whether there is one with this key, made or being made. */
export const has = (db: Db, key: string): Promise<boolean> =>
  db.read(async (orm) => (await orm.select().from(variants).where(eq(variants.key, key)).get()) !== undefined);
