import { createHash, randomBytes } from "node:crypto";
import { and, desc, eq, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from ".";
import { apiKeys } from "./schema";

export type ApiKey = typeof apiKeys.$inferSelect;

const hashOf = (key: string) => createHash("sha256").update(key).digest("hex");

/** Makes a key of 128 random bits. The key itself exists in this answer only: what is kept is its hash (D28). */
export async function generate(
  db: Db,
  { prefix, name, createdBy }: { prefix: string; name: string; createdBy?: string },
  now: Date,
): Promise<{ key: string; row: ApiKey }> {
  const start = `${prefix}_live_`;
  const key = `${start}${randomBytes(16).toString("hex")}`;
  const values = { name, createdBy, hash: hashOf(key), prefix: start, lastFour: key.slice(-4), createdAt: now };
  return { key, row: await db.write((orm) => orm.insert(apiKeys).values(values).returning().get()) };
}

const activeByHash = prepared((orm) =>
  orm
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(eq(apiKeys.hash, sql.placeholder("hash")), eq(apiKeys.active, true)))
    .prepare(),
);

/** The id of the active key; undefined for an unknown or inactive one. Asks the database each time (D28). */
export const authenticate = (db: Db, key: string) => db.read((orm) => activeByHash(orm).get({ hash: hashOf(key) })?.id);

/** Every key, the newest first. */
export const list = (db: Db) =>
  db.read((orm) => orm.select().from(apiKeys).orderBy(desc(apiKeys.createdAt), desc(apiKeys.id)).all());

/** From the next request on the key is refused, for good. Returns it as it is now; undefined when there is none. */
export const deactivate = (db: Db, id: string, now: Date) =>
  db.write(
    (orm): ApiKey | undefined =>
      orm
        .update(apiKeys)
        .set({ active: false, deactivatedAt: now })
        .where(and(eq(apiKeys.id, id), eq(apiKeys.active, true)))
        .returning()
        .get() ?? orm.select().from(apiKeys).where(eq(apiKeys.id, id)).get(),
  );

/** Writes down when keys were last used. @param uses key id to time */
export function recordUses(orm: Orm, uses: Map<string, Date>): void {
  for (const [id, lastUsedAt] of uses) orm.update(apiKeys).set({ lastUsedAt }).where(eq(apiKeys.id, id)).run();
}
