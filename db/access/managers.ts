import { and, countDistinct, eq, sql } from "drizzle-orm";
import * as audit from "../audit";
import { type Db, type Orm, prepared } from "../engine/open";
import { emailKey } from "../lib/email-key";
import { countRows } from "../lib/rows";
import * as outbox from "../mail/outbox";
import { managers, passkeys, sessions as sessionRows } from "../schema/access";
import { needsPasskey } from "./access-rules";
import * as tokens from "./one-time-tokens";
import * as sessions from "./sessions";

export type Manager = typeof managers.$inferSelect;
export type Role = Manager["role"];
/** From the one that most people get to the one that decides who has access. */
export const roles = ["manager", "editor", "analyst", "owner"] as const satisfies Role[];
/** Returns the role that a link of an invitation carries; an unknown one is the one that may do least. */
export const roleOf = (text: string | undefined): Role => roles.find((role) => role === text) ?? "analyst";
/**
 * Where a session comes from, and the hash of the cookie that identifies it. A sign-in from an unknown device sends the
 * manager an email.
 */
export type Device = { hash: string; address: string; userAgent: string | null; isKnown: boolean };
export type NewManager = { email: string; name: string; role: Role; passwordHash: string };

const anyone = prepared((orm) => orm.select({ id: managers.id }).from(managers).limit(1).prepare());
export const hasAny = (db: Db) => db.read(async (orm) => (await anyone(orm).get()) !== undefined);
export const countAll = (orm: Orm) => countRows(orm, managers, undefined);

/** For use inside another function's transaction. */
export const find = (orm: Orm, by: { id: string } | { email: string }) =>
  orm
    .select()
    .from(managers)
    .where("id" in by ? eq(managers.id, by.id) : eq(managers.emailKey, emailKey(by.email)))
    .get();

/** Returns who made an API key, while their role includes keys: editors and analysts hear nothing of them. */
export async function keyMaker(orm: Orm, createdBy: string | null): Promise<Manager | undefined> {
  const maker = createdBy === null ? undefined : await find(orm, { email: createdBy });
  return maker && ["owner", "manager"].includes(maker.role) ? maker : undefined;
}

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

/** Returns the names of all managers. */
export const names = (db: Db) =>
  db.read((orm) =>
    orm
      .select({ id: managers.id, email: managers.email, name: managers.name, role: managers.role })
      .from(managers)
      .all(),
  );

/** Creates a manager; undefined if the address is taken. For use inside another function's transaction. */
export const create = (orm: Orm, { email, ...person }: NewManager, now: Date): Promise<Manager | undefined> =>
  orm
    .insert(managers)
    .values({ ...person, email, emailKey: emailKey(email), createdAt: now })
    .onConflictDoNothing()
    .returning()
    .get();

/** Creates the first manager from the environment (D3). Does nothing if there already is a manager. */
export const createFirst = (db: Db, person: Omit<NewManager, "role">, now: Date) =>
  db.write(async (orm) => {
    if ((await countAll(orm)) > 0) return;
    const owner = await create(orm, { ...person, role: "owner" }, now);
    await audit.record(
      orm,
      { actor: "system", action: "manager.set-up", targetId: owner?.id, target: person.email },
      now,
    );
    return owner;
  });

/**
 * Signs in a manager whose password was just verified. Returns undefined if the account has changed since then, and
 * "passkey" if the password alone is no longer enough.
 */
export const signIn = (db: Db, checked: Manager, device: Device, now: Date) =>
  db.write(async (orm) =>
    (await needsPasskey(orm, checked, now))
      ? "passkey"
      : await begin(orm, checked, { device, method: "password" }, now),
  );

/** Condition: the manager still has the password that was verified. */
export const isUnchanged = (was: Manager) => and(eq(managers.id, was.id), eq(managers.passwordHash, was.passwordHash));

/**
 * Signs in after the password, second step or passkey was verified, inside the caller's transaction. Returns undefined
 * if the manager was removed or the password changed in the meantime.
 */
export async function begin(
  orm: Orm,
  checked: Manager,
  { device, method }: { device: Device; method: string },
  now: Date,
) {
  const manager = await orm.select().from(managers).where(isUnchanged(checked)).get();
  if (!manager) return;
  const session = await sessions.begin(orm, { ...device, managerId: manager.id }, now);
  const { id, email } = manager;
  const event = { actor: email, address: device.address, targetId: id, target: email };
  await audit.record(orm, { ...event, action: "session.begin", details: { method } }, now);
  if (!device.isKnown) {
    const payload = { userAgent: device.userAgent ?? "" };
    await outbox.enqueue(orm, { kind: "sign-in", recipient: email, subjectId: id, payload }, now);
  }
  return { manager, session };
}

export const signOut = (db: Db, { manager, session }: sessions.SignedIn, by: audit.Actor, now: Date) =>
  db.write(async (orm) => {
    await sessions.end(orm, manager.id, session.id);
    await audit.record(orm, { ...by, action: "session.end", targetId: manager.id, target: manager.email }, now);
  });

/*
 * What an owner does to another manager's account.
 */

/** Why nothing was done: the target is the manager themselves or gone, or the acting manager is not an owner. */
export type Unchanged = "yourself" | "gone" | "not-allowed";

/**
 * Changes the role and ends the manager's sessions, so that it applies from the next sign-in, inside the caller's
 * transaction. Returns the manager as before. What else follows is in `db/manager-removal.ts`.
 */
export const changeRoleIn = (
  orm: Orm,
  { actingManager, id, role }: { actingManager: Manager; id: string; role: Role },
  by: audit.Actor,
  now: Date,
) =>
  changeOther(orm, { actingManager, id }, async (target) => {
    await orm.update(managers).set({ role }).where(eq(managers.id, id)).run();
    await sessions.endAll(orm, id);
    const details = { from: target.role, to: role };
    await audit.record(orm, { ...by, action: "manager.change-role", targetId: id, target: target.email, details }, now);
    if (role !== "owner")
      await withdrawMadeBy(orm, { manager: target, because: "its creator is no longer an owner" }, by, now);
  });

/** Why what a manager made is withdrawn, in the audit log. */
export const creatorRemoved = "its creator was removed";

/**
 * Removes the manager and all ways in, inside the caller's transaction. What else ends with a manager is in
 * `db/manager-removal.ts`.
 */
export const deleteManagerIn = (
  orm: Orm,
  { actingManager, id }: { actingManager: Manager; id: string },
  by: audit.Actor,
  now: Date,
) =>
  changeOther(orm, { actingManager, id }, async (target) => {
    await orm.delete(managers).where(eq(managers.id, id)).run(); // cascades to sessions, passkeys and recovery codes
    await audit.record(orm, { ...by, action: "manager.remove", targetId: id, target: target.email }, now);
    await withdrawFor(orm, { manager: target, because: "the manager was removed" }, by, now);
    await withdrawMadeBy(orm, { manager: target, because: creatorRemoved }, by, now);
  });

/** Signs another manager out everywhere. */
export const endSessions = (
  db: Db,
  { actingManager, id }: { actingManager: Manager; id: string },
  by: audit.Actor,
  now: Date,
) =>
  db.write((orm) =>
    changeOther(orm, { actingManager, id }, async (target) => {
      const sessionsEnded = String(await sessions.endAll(orm, id));
      await audit.record(
        orm,
        { ...by, action: "session.end-all", targetId: id, target: target.email, details: { sessions: sessionsEnded } },
        now,
      );
    }),
  );

/**
 * Only owners may change managers, and never themselves, so the last owner stays. Checked inside the transaction: of
 * two owners who act on each other simultaneously, the second is then no longer one. Returns whom it changed.
 */
async function changeOther(
  orm: Orm,
  { actingManager, id }: { actingManager: Manager; id: string },
  change: (target: Manager) => Promise<void>,
): Promise<Manager | Unchanged> {
  if (actingManager.id === id) return "yourself";
  if ((await find(orm, { id: actingManager.id }))?.role !== "owner") return "not-allowed";
  const target = await find(orm, { id });
  if (!target) return "gone";
  await change(target);
  return target;
}

/**
 * Sets the new password, ends every session, begins a new one for this device, and invalidates pending reset links.
 * Returns undefined if the account changed since `checked` was read: an intruder must not undo a reset.
 */
export const changePassword = (
  db: Db,
  { checked, passwordHash }: { checked: Manager; passwordHash: string },
  device: Device,
  now: Date,
) =>
  db.write(async (orm) => {
    const { id, email } = checked;
    const by = { actor: email, address: device.address };
    const manager = await orm.update(managers).set({ passwordHash }).where(isUnchanged(checked)).returning().get();
    if (!manager) return;
    await sessions.endAll(orm, id);
    await audit.record(orm, { ...by, action: "manager.change-password", targetId: id, target: email }, now);
    await withdrawFor(orm, { manager, because: "the password was changed" }, by, now);
    return sessions.begin(orm, { ...device, managerId: id }, now);
  });

export const rename = (
  db: Db,
  { manager: { id, email }, name }: { manager: Manager; name: string },
  by: audit.Actor,
  now: Date,
) =>
  db.write(async (orm) => {
    await orm.update(managers).set({ name }).where(eq(managers.id, id)).run();
    await audit.record(orm, { ...by, action: "manager.rename", targetId: id, target: email, details: { name } }, now);
  });

/** Sets how the dashboard looks and behaves for this manager. Preferences not named keep their values. */
export const setPreferences = (
  db: Db,
  { manager: { id, email }, chosen }: { manager: Manager; chosen: Record<string, string> },
  by: audit.Actor,
  now: Date,
) =>
  db.write(async (orm) => {
    const before = (await find(orm, { id }))?.preferences ?? {};
    await orm
      .update(managers)
      .set({ preferences: { ...before, ...chosen } })
      .where(eq(managers.id, id))
      .run();
    await audit.record(orm, { ...by, action: "manager.prefer", targetId: id, target: email, details: chosen }, now);
  });

/** Sets which columns of a list differ from the initial ones. It concerns no one else, so it is not recorded. */
export const chooseColumns = (db: Db, id: string, { list, changed }: { list: string; changed: string[] }) =>
  db.write(async (orm) => {
    const before = (await find(orm, { id }))?.preferences ?? {};
    const preferences = { ...before, [`columns.${list}`]: changed.join(" ") };
    await orm.update(managers).set({ preferences }).where(eq(managers.id, id)).run();
  });

/**
 * Withdraws the links that a manager created when they lose the right to create them: one of them could let them back
 * in.
 */
export async function withdrawMadeBy(
  orm: Orm,
  { manager: { id }, because }: { manager: Manager; because: string },
  by: audit.Actor,
  now: Date,
): Promise<void> {
  for (const { purpose, subject, payload } of await tokens.withdrawMadeBy(orm, id)) {
    const event =
      purpose === "invite"
        ? { action: "manager.withdraw-invitation" as const, target: payload.email }
        : { action: "manager.withdraw-reset" as const, targetId: subject ?? undefined };
    await audit.record(orm, { ...by, ...event, details: { because } }, now);
  }
}

/** Withdraws what could still sign this manager in: a reset link, or a sign-in waiting for its second step. */
export async function withdrawFor(
  orm: Orm,
  { manager: { id, email }, because }: { manager: Manager; because: string },
  by: audit.Actor,
  now: Date,
): Promise<void> {
  await tokens.withdraw(orm, "second-step", id);
  if (!(await tokens.withdraw(orm, "reset", id))) return;
  await audit.record(
    orm,
    { ...by, action: "manager.withdraw-reset", targetId: id, target: email, details: { because } },
    now,
  );
}
