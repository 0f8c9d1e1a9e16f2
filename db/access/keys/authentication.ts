import { and, eq, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../../engine/open";
import { apiKeys } from "../../schema/access";
import { cachedLookup } from "../../engine/versions";
import { hashOf } from "./api-keys";

const activeByHash = prepared((orm) =>
  orm
    .select({ id: apiKeys.id, expiresAt: apiKeys.expiresAt })
    .from(apiKeys)
    .where(and(eq(apiKeys.hash, sql.placeholder("hash")), eq(apiKeys.active, true)))
    .prepare(),
);

/** An active key that was presented. `usedAt`: time of use in milliseconds, until it has been stored. */
export type AuthenticatedKey = { readonly id: string; readonly expiresAt: number; usedAt: number | undefined };

const activeKey = cachedLookup("keys", async (orm, key): Promise<AuthenticatedKey | undefined> => {
  const row = await activeByHash(orm).get({ hash: hashOf(key) });
  return row && { id: row.id, expiresAt: row.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY, usedAt: undefined };
});

/**
 * Returns the active key with this value; undefined for one that is unknown, inactive or expired, effective with the
 * next request (D28).
 *
 * @param at the time in milliseconds
 */
export function authenticate(db: Db, key: string, at: number) {
  const found = activeKey(db, key);
  return found instanceof Promise ? found.then((known) => unexpired(known, at)) : unexpired(found, at);
}

const unexpired = (key: AuthenticatedKey | undefined, at: number) => (key && key.expiresAt > at ? key : undefined);

/** Stores when keys were last used, in the same order in every process. @param uses key ID to time */
export async function recordUses(orm: Orm, uses: Map<string, Date>): Promise<void> {
  for (const [id, at] of [...uses].sort(([a], [b]) => (a < b ? -1 : 1))) await used(orm).run({ id, at: at.getTime() });
}

const used = prepared((orm) =>
  orm
    .update(apiKeys)
    .set({ lastUsedAt: sql`${sql.placeholder("at")}` })
    .where(eq(apiKeys.id, sql.placeholder("id")))
    .prepare(),
);
