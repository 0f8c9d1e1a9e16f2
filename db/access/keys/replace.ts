import { and, eq, isNotNull, isNull, lte, type SQL } from "drizzle-orm";
import type { Db, Orm } from "../../engine/open";
import * as audit from "../../audit";
import { apiKeys } from "../../schema/access";
import { insertKey, isAcceptedKey } from "./api-keys";

type Replacement = { id: string; prefix: string; stopsAt: Date };

/**
 * Generates a key with the same name, lifetime, scopes and networks. The old one keeps working until `stopsAt`, or until it expires if
 * that is earlier. Returns undefined if the old one is no longer accepted, or has already been replaced. For use inside
 * another function's transaction.
 */
export async function replace(orm: Orm, { id, prefix, stopsAt }: Replacement, by: audit.Actor, now: Date) {
  const isReplaceable = and(eq(apiKeys.id, id), isAcceptedKey(now), isNull(apiKeys.replacedBy));
  const old = await orm.select().from(apiKeys).where(isReplaceable).get();
  if (!old) return;
  const { name, createdAt, expiresAt, scopes, networks } = old;
  const lifetimeMs = expiresAt && expiresAt.getTime() - createdAt.getTime();
  const until = lifetimeMs ? new Date(now.getTime() + lifetimeMs) : undefined;
  const limits = { scopes, networks, expiresAt: until };
  const made = await insertKey(orm, { prefix, name, createdBy: by.actor, ...limits }, now);
  const end = expiresAt && expiresAt < stopsAt ? expiresAt : stopsAt;
  const isOver = end <= now && { active: false, deactivatedAt: now };
  const changes = { replacedBy: made.row.id, expiresAt: end, ...isOver };
  await orm.update(apiKeys).set(changes).where(eq(apiKeys.id, id)).run();
  const details = { until: end.toISOString() };
  await audit.record(orm, { ...by, action: "api-key.replace", targetId: id, target: name, details }, now);
  return made;
}

/** The same in a transaction of its own. */
export const replaceKey = (db: Db, wanted: Replacement, by: audit.Actor, now: Date) =>
  db.write((orm) => replace(orm, wanted, by, now));

/** Extends a replaced key. Returns undefined if it has stopped, or was not replaced. */
export const extend = (db: Db, id: string, until: Date, by: audit.Actor, now: Date) =>
  db.write(async (orm) => {
    const isEnding = and(eq(apiKeys.id, id), isAcceptedKey(now), isNotNull(apiKeys.replacedBy));
    const key = await orm.update(apiKeys).set({ expiresAt: until }).where(isEnding).returning().get();
    const details = { until: until.toISOString() };
    if (key) await audit.record(orm, { ...by, action: "api-key.extend", targetId: id, target: key.name, details }, now);
    return key;
  });

/** Returns the accepted keys that expire by then and were not replaced, the earliest first. */
export const expiringBefore = (db: Db, until: Date, now: Date) => {
  const isSoon: SQL | undefined = and(isAcceptedKey(now), lte(apiKeys.expiresAt, until), isNull(apiKeys.replacedBy));
  return db.read((orm) =>
    orm.select({ name: apiKeys.name }).from(apiKeys).where(isSoon).orderBy(apiKeys.expiresAt, apiKeys.id).all(),
  );
};
