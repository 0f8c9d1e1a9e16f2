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
 * Where a session comes from, and the hash of the cookie it is known by. Of one that is not known, the manager gets a
 * mail when it signs in.
 */
export type Device = { hash: string; address: string; userAgent: string | null; isKnown: boolean };
export type NewManager = { email: string; name: string; role: Role; passwordHash: string };

export const hasAny = (db: Db) => db.read((orm) => countAll(orm) > 0);
export const countAll = (orm: Orm) => countRows(orm, managers, undefined);

/** For use inside another verb's transaction. */
export const find = (orm: Orm, by: { id: string } | { email: string }) =>
  orm
    .select()
    .from(managers)
    .where("id" in by ? eq(managers.id, by.id) : eq(managers.emailKey, emailKey(by.email)))
    .get();

export const byId = (db: Db, id: string) => db.read((orm) => find(orm, { id }));
export const byEmail = (db: Db, email: string) => db.read((orm) => find(orm, { email }));

/** Everybody who may enter, with what the list says about them. */
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

/** Makes a manager. Undefined when the address is one already. For use inside another verb's transaction. */
export const create = (orm: Orm, { email, ...person }: NewManager, now: Date): Manager | undefined =>
  orm
    .insert(managers)
    .values({ ...person, email, emailKey: emailKey(email), createdAt: now })
    .onConflictDoNothing()
    .returning()
    .get();

/** The first manager, from the environment (D3). Nothing happens when there is one already. */
export const createFirst = (db: Db, person: Omit<NewManager, "role">, now: Date) =>
  db.write((orm) => {
    if (countAll(orm) > 0) return;
    const owner = create(orm, { ...person, role: "owner" }, now);
    audit.record(orm, { actor: "system", action: "manager.set-up", targetId: owner?.id, target: person.email }, now);
    return owner;
  });

/**
 * Signs a manager in whose password was just checked and who has no second step. Undefined when the account is no longer
 * the one that was checked, "passkey" when a password alone is not enough for him any more (P76).
 */
export const signIn = (db: Db, checked: Manager, device: Device, now: Date) =>
  db.write((orm) => (needsPasskey(orm, checked, now) ? "passkey" : begin(orm, checked, device, "password", now)));

/**
 * Signs in, for use inside another verb's transaction, whoever's password, second step or passkey was just checked.
 * Undefined when he was removed, or his password was changed meanwhile.
 */
export function begin(orm: Orm, checked: Manager, device: Device, method: string, now: Date) {
  const manager = orm
    .select()
    .from(managers)
    .where(and(eq(managers.id, checked.id), eq(managers.passwordHash, checked.passwordHash)))
    .get();
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
 * Sets the new password, ends every session of the manager, and begins a new one for this device. Reset links that wait
 * for him are void: who changes his password because somebody was in wants nobody to come in by one (P74).
 */
export const changePassword = (db: Db, manager: Manager, passwordHash: string, device: Device, now: Date) =>
  db.write((orm) => {
    const { id, email } = manager;
    const by = { actor: email, address: device.address };
    orm.update(managers).set({ passwordHash }).where(eq(managers.id, id)).run();
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

/** How the dashboard looks and behaves for this manager. What is not named keeps its value. */
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

/** Why nothing was done: it is oneself, somebody who is gone, or the one who asks is no owner. */
export type Unchanged = "yourself" | "gone" | "not-allowed";

/** Another role, from the next sign-in on: the manager's sessions end. */
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

/** The manager may no longer enter, from this moment on. */
export const remove = (db: Db, asker: Manager, id: string, by: audit.Actor, now: Date) =>
  db.write((orm) => {
    const target = findChangeable(orm, asker, id);
    if (typeof target === "string") return target;
    orm.delete(managers).where(eq(managers.id, id)).run(); // takes sessions, passkeys and recovery codes with it
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
 * Only an owner, and never on himself: so the last owner stays. Asked inside the transaction, because two owners may
 * act on each other at the same moment, and who comes second is no owner any more.
 */
function findChangeable(orm: Orm, asker: Manager, id: string): Manager | Unchanged {
  if (asker.id === id) return "yourself";
  if (find(orm, { id: asker.id })?.role !== "owner") return "not-allowed";
  return find(orm, { id }) ?? "gone";
}
