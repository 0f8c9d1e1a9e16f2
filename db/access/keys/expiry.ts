import { and, eq, gt, inArray, isNotNull, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import * as audit from "../../audit";
import type { Db, Orm } from "../../engine/open";
import { emailKey } from "../../lib/email-key";
import { dayMs } from "../../lib/time";
import * as outbox from "../../mail/outbox";
import { apiKeys } from "../../schema/access";
import * as managers from "../managers";
import { insertKey, isAcceptedKey } from "./api-keys";

type Replacement = {
  id: string;
  prefix: string;
  stopsAt: Date;
  /** The old one stops earlier after a day without a call, once the new one is used. */
  endsWhenQuiet?: boolean;
};

/**
 * Generates a key with the same name, lifetime, scopes and networks. The old one keeps working until `stopsAt`, or until it expires if
 * that is earlier. Returns undefined if the old one is no longer accepted, or has already been replaced. For use inside
 * another function's transaction.
 */
export async function replace(orm: Orm, replacement: Replacement, by: audit.Actor, now: Date) {
  const { id, prefix, stopsAt, endsWhenQuiet = false } = replacement;
  const isReplaceable = and(eq(apiKeys.id, id), isAcceptedKey(now), isNull(apiKeys.replacedBy));
  const old = await orm.select().from(apiKeys).where(isReplaceable).get();
  if (!old) return;
  const { name, createdAt, expiresAt, scopes, networks, uploadLimits } = old;
  const lifetimeMs = expiresAt && expiresAt.getTime() - createdAt.getTime();
  const until = lifetimeMs ? new Date(now.getTime() + lifetimeMs) : undefined;
  const limits = { scopes, networks, uploadLimits, expiresAt: until };
  const made = await insertKey(orm, { prefix, name, createdBy: by.actor, ...limits }, now);
  const end = expiresAt && expiresAt < stopsAt ? expiresAt : stopsAt;
  const isOver = end <= now && { active: false, deactivatedAt: now };
  const changes = { replacedBy: made.row.id, expiresAt: end, endsWhenQuiet, ...isOver };
  await orm.update(apiKeys).set(changes).where(eq(apiKeys.id, id)).run();
  const details = { until: end.toISOString() };
  await audit.record(orm, { ...by, action: "api-key.replace", targetId: id, target: name, details }, now);
  return made;
}

/** The same in a transaction of its own. */
export const replaceKey = (db: Db, wanted: Replacement, by: audit.Actor, now: Date) =>
  db.write((orm) => replace(orm, wanted, by, now));

/** Extends a replaced key, which then also outlives a quiet day. Returns undefined if it has stopped, or was not replaced. */
export const extend = (db: Db, id: string, until: Date, by: audit.Actor, now: Date) =>
  db.write(async (orm) => {
    const isEnding = and(eq(apiKeys.id, id), isAcceptedKey(now), isNotNull(apiKeys.replacedBy));
    const key = await orm
      .update(apiKeys)
      .set({ expiresAt: until, endsWhenQuiet: false })
      .where(isEnding)
      .returning()
      .get();
    const details = { until: until.toISOString() };
    if (key) await audit.record(orm, { ...by, action: "api-key.extend", targetId: id, target: key.name, details }, now);
    return key;
  });

/**
 * Ends the replaced keys that no one has used for a day, counted from the first call with the new key. When a key was
 * used is stored within minutes.
 */
export const endQuiet = (db: Db, now: Date): Promise<void> =>
  db.write(async (orm) => {
    const dayAgo = new Date(now.getTime() - dayMs);
    const inUse = orm.select({ id: apiKeys.id }).from(apiKeys).where(lte(apiKeys.firstUsedAt, dayAgo));
    const isUnused = or(isNull(apiKeys.lastUsedAt), lte(apiKeys.lastUsedAt, dayAgo));
    const isQuiet = and(
      isAcceptedKey(now),
      eq(apiKeys.endsWhenQuiet, true),
      isUnused,
      inArray(apiKeys.replacedBy, inUse),
    );
    for (const { id, name } of await orm.update(apiKeys).set({ expiresAt: now }).where(isQuiet).returning().all())
      await audit.record(orm, { actor: "system", action: "api-key.quiet", targetId: id, target: name }, now);
  });

/** Returns the accepted keys that expire by then and were not replaced, the earliest first. */
export const expiringBefore = (db: Db, until: Date, now: Date) => {
  const isSoon: SQL | undefined = and(isAcceptedKey(now), lte(apiKeys.expiresAt, until), isNull(apiKeys.replacedBy));
  return db.read((orm) =>
    orm.select({ name: apiKeys.name }).from(apiKeys).where(isSoon).orderBy(apiKeys.expiresAt, apiKeys.id).all(),
  );
};

/** Days before a key expires, the last warning first, so that a service that was off sends only that one. */
const warnings = [3, 14];

/**
 * Queues an email to the owner, and to the manager who made it, for each key that expires within 14 days, and another within 3 days, in the commit that
 * marks the key as warned. A key that was made for a shorter time gets no warning about the longer one, and one that
 * was replaced none at all.
 */
export const warnOfExpiry = (db: Db, recipient: string, now: Date): Promise<void> =>
  db.write(async (orm) => {
    for (const days of warnings)
      for (const { id, createdBy } of await markWarned(orm, days, now)) {
        await warn(orm, { id, recipient, now });
        const maker = await managers.keyMaker(orm, createdBy);
        if (maker && maker.emailKey !== emailKey(recipient)) await warn(orm, { id, recipient: maker.email, now });
      }
  });

/** Marks the keys that expire within so many days and were not warned of it. Returns them by ID. */
async function markWarned(orm: Orm, days: number, now: Date) {
  const isDue = and(
    isAcceptedKey(now),
    isNull(apiKeys.replacedBy),
    lte(apiKeys.expiresAt, new Date(now.getTime() + days * dayMs)),
    gt(apiKeys.expiresAt, sql`${apiKeys.createdAt} + ${days * dayMs}`),
    or(isNull(apiKeys.warnedDays), gt(apiKeys.warnedDays, days)),
  );
  const marked = orm
    .update(apiKeys)
    .set({ warnedDays: days })
    .where(isDue)
    .returning({ id: apiKeys.id, createdBy: apiKeys.createdBy });
  return (await marked.all()).sort((a, b) => (a.id < b.id ? -1 : 1));
}

const warn = (orm: Orm, { id, recipient, now }: { id: string; recipient: string; now: Date }) =>
  outbox.enqueue(orm, { kind: "notice", recipient, subjectId: id, payload: { about: "api-key" } }, now);
