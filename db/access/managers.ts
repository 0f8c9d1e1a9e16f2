import { and, countDistinct, eq, sql } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { countRows } from "../lib/page";
import * as audit from "../audit";
import * as outbox from "../mail/outbox";
import { emailKey } from "../lib/email-key";
import { needsPasskey } from "./access-rules";
import { withdrawFor, withdrawMadeBy } from "./link-withdrawal";
import { managers, passkeys, sessions as sessionRows } from "../schema/access";
import * as sessions from "./sessions";

export type Manager = typeof managers.$inferSelect;
export type Role = Manager["role"];
/**
 * Where a session comes from, and the hash of the cookie that identifies it. A sign-in from an unknown device sends the
 * manager an email.
 */
export type Device = { hash: string; address: string; userAgent: string | null; isKnown: boolean };
export type NewManager = { email: string; name: string; role: Role; passwordHash: string };

export const hasAny = (db: Db) => db.read((orm) => countAll(orm) > 0);
export const countAll = (orm: Orm) => countRows(orm, managers, undefined);

/** For use inside another function's transaction. */
export const find = (orm: Orm, by: { id: string } | { email: string }) =>
  orm
    .select()
    .from(managers)
    .where("id" in by ? eq(managers.id, by.id) : eq(managers.emailKey, emailKey(by.email)))
    .get();

export const byId = (db: Db, id: string) => db.read((orm) => find(orm, { id }));
export const byEmail = (db: Db, email: string) => db.read((orm) => find(orm, { email }));

/** Returns every manager, with the details shown in the list. */
export const list = (db: Db, now: Date) =>
  db.read((orm) =>
    orm
      .select({
        id: managers.id,
        email: managers.email,
        name: managers.name,
        role: managers.role,
        lastSeenAt: managers.lastSeenAt,
        createdAt: managers.createdAt,
        hasSecondStep: sql<boolean>`${managers.totpSecret} is not null`.mapWith(Boolean),
        passkeys: countDistinct(passkeys.id),
        sessions: countDistinct(sessionRows.id),
      })
      .from(managers)
      .leftJoin(passkeys, eq(passkeys.managerId, managers.id))
      .leftJoin(sessionRows, and(eq(sessionRows.managerId, managers.id), sessions.isAlive(now)))
      .groupBy(managers.id)
      .orderBy(managers.createdAt, managers.id)
      .all(),
  );

/** Creates a manager; undefined if the address is taken. For use inside another function's transaction. */
export const create = (orm: Orm, { email, ...person }: NewManager, now: Date): Manager | undefined =>
  orm
    .insert(managers)
    .values({ ...person, email, emailKey: emailKey(email), createdAt: now })
    .onConflictDoNothing()
    .returning()
    .get();

/** Creates the first manager from the environment (D3). Does nothing if there already is a manager. */
export const createFirst = (db: Db, person: Omit<NewManager, "role">, now: Date) =>
  db.write((orm) => {
    if (countAll(orm) > 0) return;
    const owner = create(orm, { ...person, role: "owner" }, now);
    audit.record(orm, { actor: "system", action: "manager.set-up", targetId: owner?.id, target: person.email }, now);
    return owner;
  });

/**
 * Signs in a manager whose password was just verified. Returns undefined if the account has changed since then, and
 * "passkey" if the password alone is no longer enough (P76).
 */
export const signIn = (db: Db, checked: Manager, device: Device, now: Date) =>
  db.write((orm) => (needsPasskey(orm, checked, now) ? "passkey" : begin(orm, checked, device, "password", now)));

/** Condition: the manager still has the password that was verified. */
export const isUnchanged = (was: Manager) => and(eq(managers.id, was.id), eq(managers.passwordHash, was.passwordHash));

/**
 * Signs in after the password, second step or passkey was verified, inside the caller's transaction. Returns undefined
 * if the manager was removed or the password changed in the meantime.
 */
export function begin(orm: Orm, checked: Manager, device: Device, method: string, now: Date) {
  const manager = orm.select().from(managers).where(isUnchanged(checked)).get();
  if (!manager) return;
  const session = sessions.begin(orm, { ...device, managerId: manager.id }, now);
  const { id, email } = manager;
  const event = { actor: email, address: device.address, targetId: id, target: email };
  audit.record(orm, { ...event, action: "session.begin", details: { method } }, now);
  if (!device.isKnown) {
    const payload = { userAgent: device.userAgent ?? "" };
    outbox.enqueue(orm, { kind: "sign-in", recipient: email, subjectId: id, payload }, now);
  }
  return { manager, session };
}

export const signOut = (db: Db, { manager, session }: sessions.SignedIn, by: audit.Actor, now: Date) =>
  db.write((orm) => {
    sessions.end(orm, manager.id, session.id);
    audit.record(orm, { ...by, action: "session.end", targetId: manager.id, target: manager.email }, now);
  });

/**
 * Sets the new password, ends every session, begins a new one for this device, and invalidates pending reset links
 * (P74). Returns undefined if the account changed since `checked` was read: an intruder must not undo a reset.
 */
export const changePassword = (db: Db, checked: Manager, passwordHash: string, device: Device, now: Date) =>
  db.write((orm) => {
    const { id, email } = checked;
    const by = { actor: email, address: device.address };
    const manager = orm.update(managers).set({ passwordHash }).where(isUnchanged(checked)).returning().get();
    if (!manager) return;
    sessions.endAll(orm, id);
    audit.record(orm, { ...by, action: "manager.change-password", targetId: id, target: email }, now);
    withdrawFor(orm, manager, "the password was changed", by, now);
    return sessions.begin(orm, { ...device, managerId: id }, now);
  });

export const rename = (db: Db, { id, email }: Manager, name: string, by: audit.Actor, now: Date) =>
  db.write((orm) => {
    orm.update(managers).set({ name }).where(eq(managers.id, id)).run();
    audit.record(orm, { ...by, action: "manager.rename", targetId: id, target: email, details: { name } }, now);
  });

/** Sets how the dashboard looks and behaves for this manager. Preferences not named keep their values. */
export const setPreferences = (
  db: Db,
  { id, email }: Manager,
  chosen: Record<string, string>,
  by: audit.Actor,
  now: Date,
) =>
  db.write((orm) => {
    const before = find(orm, { id })?.preferences ?? {};
    orm
      .update(managers)
      .set({ preferences: { ...before, ...chosen } })
      .where(eq(managers.id, id))
      .run();
    audit.record(orm, { ...by, action: "manager.prefer", targetId: id, target: email, details: chosen }, now);
  });

/** Why nothing was done: the target is the manager themselves or gone, or the acting manager is not an owner. */
export type Unchanged = "yourself" | "gone" | "not-allowed";

/** Changes the role and ends the manager's sessions, so that it applies from the next sign-in. */
export const changeRole = (db: Db, asker: Manager, id: string, role: Role, by: audit.Actor, now: Date) =>
  db.write((orm) => {
    const target = findChangeable(orm, asker, id);
    if (typeof target === "string") return target;
    orm.update(managers).set({ role }).where(eq(managers.id, id)).run();
    sessions.endAll(orm, id);
    const details = { from: target.role, to: role };
    audit.record(orm, { ...by, action: "manager.change-role", targetId: id, target: target.email, details }, now);
    if (role !== "owner") withdrawMadeBy(orm, target, "its maker is no longer an owner", by, now);
    return target;
  });

/** Removes the manager's access immediately. */
export const remove = (db: Db, asker: Manager, id: string, by: audit.Actor, now: Date) =>
  db.write((orm) => {
    const target = findChangeable(orm, asker, id);
    if (typeof target === "string") return target;
    orm.delete(managers).where(eq(managers.id, id)).run(); // cascades to sessions, passkeys and recovery codes
    audit.record(orm, { ...by, action: "manager.remove", targetId: id, target: target.email }, now);
    withdrawFor(orm, target, "the manager was removed", by, now);
    withdrawMadeBy(orm, target, "its maker was removed", by, now);
    return target;
  });

/** Signs another manager out everywhere. */
export const endSessions = (db: Db, asker: Manager, id: string, by: audit.Actor, now: Date) =>
  db.write((orm) => {
    const target = findChangeable(orm, asker, id);
    if (typeof target === "string") return target;
    const sessionsEnded = String(sessions.endAll(orm, id));
    audit.record(
      orm,
      { ...by, action: "session.end-all", targetId: id, target: target.email, details: { sessions: sessionsEnded } },
      now,
    );
    return target;
  });

/**
 * Only owners may change managers, and never themselves, so the last owner stays. Checked inside the transaction: of
 * two owners who act on each other simultaneously, the second is then no longer one.
 */
function findChangeable(orm: Orm, asker: Manager, id: string): Manager | Unchanged {
  if (asker.id === id) return "yourself";
  if (find(orm, { id: asker.id })?.role !== "owner") return "not-allowed";
  return find(orm, { id }) ?? "gone";
}
