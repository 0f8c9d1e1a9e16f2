import { and, count, countDistinct, desc, eq, gt, inArray, lt, ne, not, sql } from "drizzle-orm";
import * as audit from "../audit";
import { type Db, type Orm, prepared, textParameter } from "../engine/open";
import { hasId } from "../lib/rows";
import { clockSlackMs, hourMs } from "../lib/time";
import { accessRules, managers, passkeys, sessions } from "../schema/access";
import { auditEvents } from "../schema/audit";
import { graceEnd, isTwoFactorRule } from "./access-rules";

export type Session = typeof sessions.$inferSelect;
export type Manager = typeof managers.$inferSelect;
/**
 * The manager and session of a request, and the deadline for setting up two-step verification or a passkey if one is
 * required.
 */
export type SignedIn = { manager: Manager; session: Session; twoFactorDueAt?: Date | undefined };

type Device = Pick<Session, "hash" | "managerId" | "address" | "userAgent">;

const idleTimeoutMs = 12 * hourMs;
const lifetimeMs = 7 * 24 * hourMs;
const maxPerManager = 10;

/**
 * Begins a session, for use inside the sign-in's transaction. Ends the manager's oldest sessions if there are too many.
 */
export async function begin(orm: Orm, device: Device, now: Date): Promise<Session> {
  await orm
    .delete(sessions)
    .where(not(isAlive(now)))
    .run();
  const session = await orm
    .insert(sessions)
    .values({ ...device, createdAt: now, seenAt: now, confirmedAt: now })
    .returning()
    .get();
  const surplus = orm
    .select({ hash: sessions.hash })
    .from(sessions)
    .where(eq(sessions.managerId, device.managerId))
    .orderBy(desc(sessions.createdAt), desc(sessions.id))
    .limit(1_000)
    .offset(maxPerManager);
  await orm.delete(sessions).where(inArray(sessions.hash, surplus)).run();
  await orm.update(managers).set({ lastSeenAt: now }).where(eq(managers.id, device.managerId)).run();
  return session;
}

/**
 * Condition: not idle for 12 hours, not older than 7 days (D35), and not begun more than a minute in the future, when the
 * clock was ahead. A session ends earlier when its row is deleted: on signing out, by the functions below, when an eleventh
 * begins, and with its manager; also when the password or the role changes, or an owner says so (`managers.ts`, `sign-in-links.ts`).
 */
export const isAlive = (now: Date) => {
  const at = (offset: number) => new Date(now.getTime() + offset);
  return sql`(${gt(sessions.seenAt, at(-idleTimeoutMs))} and ${gt(sessions.createdAt, at(-lifetimeMs))} and ${lt(sessions.createdAt, at(clockSlackMs))})`;
};

const byHash = prepared((orm) =>
  orm
    .select({
      session: sessions,
      manager: managers,
      requiredSince: accessRules.since,
      hasPasskey: sql`exists (select 1 from ${passkeys} where ${passkeys.managerId} = ${managers.id})`.mapWith(Boolean),
    })
    .from(sessions)
    .innerJoin(managers, eq(managers.id, sessions.managerId))
    .leftJoin(accessRules, isTwoFactorRule)
    .where(eq(sessions.hash, textParameter("hash")))
    .prepare(),
);

/**
 * Returns the session with this hash and its manager, unless it was idle for 12 hours, is older than 7 days (D35), or
 * began in the future.
 */
export const find = (db: Db, hash: string, now: Date) =>
  db.read(async (orm): Promise<SignedIn | undefined> => {
    const row = await byHash(orm).get({ hash });
    if (!row) return;
    const { seenAt, createdAt } = row.session;
    const silence = now.getTime() - seenAt.getTime();
    const age = now.getTime() - createdAt.getTime();
    if (silence >= idleTimeoutMs || age >= lifetimeMs || age <= -clockSlackMs) return;
    const { session, manager, requiredSince, hasPasskey } = row;
    const isBare = requiredSince !== null && manager.totpSecret === null && !hasPasskey;
    return { session, manager, twoFactorDueAt: isBare ? graceEnd(requiredSince, manager) : undefined };
  });

/** Returns which of the sessions with these hashes have not ended. */
export const aliveAmong = (db: Db, hashes: string[], now: Date): Promise<Set<string>> =>
  db.read(async (orm) => {
    const where = and(hasId(sessions.hash, hashes), isAlive(now));
    return new Set(
      (await orm.select({ hash: sessions.hash }).from(sessions).where(where).all()).map(({ hash }) => hash),
    );
  });

/**
 * Records that the manager is active. Callers do this at most every five minutes, and not for requests that nobody made
 * by hand: prefetching, polls, open event streams (`isPassive` in `src/platform/request-context.ts`).
 */
export const touch = (db: Db, { hash, managerId }: Session, now: Date) =>
  db.write(async (orm) => {
    await orm.update(sessions).set({ seenAt: now }).where(eq(sessions.hash, hash)).run();
    await orm.update(managers).set({ lastSeenAt: now }).where(eq(managers.id, managerId)).run();
  });

/** Records that the password was just confirmed. */
export const confirm = (db: Db, { hash }: Session, now: Date) =>
  db.write(
    async (orm) => void (await orm.update(sessions).set({ confirmedAt: now }).where(eq(sessions.hash, hash)).run()),
  );

/** Returns the manager's active sessions, most recently used first. */
export const list = (db: Db, managerId: string, now: Date) =>
  db.read((orm) =>
    orm
      .select()
      .from(sessions)
      .where(and(eq(sessions.managerId, managerId), isAlive(now)))
      .orderBy(desc(sessions.seenAt), desc(sessions.id))
      .all(),
  );

/**
 * Ends a session by its ID, for use inside another function's transaction. Returns undefined if it is no longer one of
 * this manager's.
 */
export const end = (orm: Orm, managerId: string, id: string): Promise<Session | undefined> =>
  orm
    .delete(sessions)
    .where(and(eq(sessions.managerId, managerId), eq(sessions.id, id)))
    .returning()
    .get();

/** Ends every session of the manager except `keep`. Returns how many. */
export const endAll = async (orm: Orm, managerId: string, keep?: Session): Promise<number> =>
  (
    await orm
      .delete(sessions)
      .where(and(eq(sessions.managerId, managerId), keep && ne(sessions.hash, keep.hash)))
      .returning({ id: sessions.id })
      .all()
  ).length;

/** Signs out one of the manager's own devices. */
export const endOne = (
  db: Db,
  { manager: { id: managerId, email }, id }: { manager: Manager; id: string },
  by: audit.Actor,
  now: Date,
) =>
  db.write(async (orm) => {
    const ended = await end(orm, managerId, id);
    if (ended) await audit.record(orm, { ...by, action: "session.end", targetId: managerId, target: email }, now);
    return ended;
  });

/** Signs out all of the manager's other devices. Returns how many. */
export const endOthers = (
  db: Db,
  { manager: { id, email }, keep }: { manager: Manager; keep: Session },
  by: audit.Actor,
  now: Date,
) =>
  db.write(async (orm) => {
    const count = await endAll(orm, id, keep);
    const event = { ...by, action: "session.end-others" as const, targetId: id, target: email };
    if (count) await audit.record(orm, { ...event, details: { sessions: String(count) } }, now);
    return count;
  });

const maxNotices = 3; // the newest

/** Leaves a notice for the page that the session opens next. */
export const leaveNotice = (db: Db, { hash }: Session, notice: unknown) =>
  db.write(async (orm) => {
    const session = await orm.select().from(sessions).where(eq(sessions.hash, hash)).get();
    const notices = [...(session?.notices ?? []), notice].slice(-maxNotices);
    await orm.update(sessions).set({ notices }).where(eq(sessions.hash, hash)).run();
  });

/** Removes the notices that were shown. Those left since the session was read are for the next page. */
export const clearNotices = (db: Db, { hash, notices }: Session) =>
  db.write(async (orm) => {
    const session = await orm.select().from(sessions).where(eq(sessions.hash, hash)).get();
    const displayed = new Set(notices?.map((notice) => JSON.stringify(notice)));
    const rest = session?.notices?.filter((notice) => !displayed.has(JSON.stringify(notice))) ?? [];
    await orm
      .update(sessions)
      .set({ notices: rest.length ? rest : null })
      .where(eq(sessions.hash, hash))
      .run();
  });

/**
 * Counts the failed sign-ins since then by account, and the addresses that they came from. Those at no account of a
 * manager have the account null.
 */
export const failedSignIns = (db: Db, since: Date) =>
  db.read((orm) =>
    orm
      .select({ account: auditEvents.targetId, attempts: count(), addresses: countDistinct(auditEvents.address) })
      .from(auditEvents)
      .where(and(eq(auditEvents.action, "session.refuse"), gt(auditEvents.createdAt, since)))
      .groupBy(auditEvents.targetId)
      .all(),
  );
