import { and, countDistinct, eq, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../engine/open";
import { countRows } from "../lib/rows";
import * as audit from "../audit";
import * as outbox from "../mail/outbox";
import { emailKey } from "../lib/email-key";
import { managers, passkeys, sessions as sessionRows } from "../schema/access";
import { needsPasskey } from "./access-rules";
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
