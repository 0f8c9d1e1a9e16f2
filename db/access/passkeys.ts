import { and, desc, eq } from "drizzle-orm";
import * as audit from "../audit";
import type { Db } from "../engine/open";
import { managers as managerRows, passkeys } from "../schema/access";
import { isLastFactor } from "./access-rules";
import * as managers from "./managers";
import * as tokens from "./one-time-tokens";

export type Passkey = typeof passkeys.$inferSelect;
type NewPasskey = Pick<Passkey, "id" | "publicKey" | "counter" | "transports" | "name">;

export const list = (db: Db, managerId: string) =>
  db.read((orm) =>
    orm
      .select()
      .from(passkeys)
      .where(eq(passkeys.managerId, managerId))
      .orderBy(desc(passkeys.createdAt), passkeys.id)
      .all(),
  );

/**
 * Returns undefined if the passkey exists already, or if the manager was removed or the password changed in the
 * meantime: a reset deletes an intruder's passkeys, and none may be added after it.
 */
export const add = (
  db: Db,
  { manager, passkey }: { manager: managers.Manager; passkey: NewPasskey },
  by: audit.Actor,
  now: Date,
) =>
  db.write(async (orm) => {
    if (!(await orm.select().from(managerRows).where(managers.isUnchanged(manager)).get())) return;
    const added = await orm
      .insert(passkeys)
      .values({ ...passkey, managerId: manager.id, createdAt: now })
      .onConflictDoNothing()
      .returning()
      .get();
    if (added) await audit.record(orm, { ...by, action: "passkey.add", targetId: added.id, target: added.name }, now);
    return added;
  });

/** Returns undefined if the passkey is not this manager's, and "needed" if an owner requires one of everyone. */
export const remove = (
  db: Db,
  { manager, id }: { manager: managers.Manager; id: string },
  by: audit.Actor,
  now: Date,
) =>
  db.write(async (orm) => {
    if (await isLastFactor(orm, manager, "passkey")) return "needed";
    const removed = await orm
      .delete(passkeys)
      .where(and(eq(passkeys.id, id), eq(passkeys.managerId, manager.id)))
      .returning()
      .get();
    if (removed) await audit.record(orm, { ...by, action: "passkey.remove", targetId: id, target: removed.name }, now);
    return removed;
  });

/** Returns undefined if the passkey is not this manager's. */
export const rename = (
  db: Db,
  { manager: { id: managerId }, id, name }: { manager: managers.Manager; id: string; name: string },
  by: audit.Actor,
  now: Date,
) =>
  db.write(async (orm) => {
    const isTheirs = and(eq(passkeys.id, id), eq(passkeys.managerId, managerId));
    const before = await orm.select().from(passkeys).where(isTheirs).get();
    if (!before || before.name === name) return before;
    await orm.update(passkeys).set({ name }).where(isTheirs).run();
    const renamed = { targetId: id, target: name, details: { from: before.name } };
    await audit.record(orm, { ...by, action: "passkey.rename", ...renamed }, now);
    return { ...before, name };
  });

/** Returns the passkey with this credential ID and its manager. */
export const find = (db: Db, id: string) =>
  db.read((orm) =>
    orm
      .select({ passkey: passkeys, manager: managerRows })
      .from(passkeys)
      .innerJoin(managerRows, eq(managerRows.id, passkeys.managerId))
      .where(eq(passkeys.id, id))
      .get(),
  );

/** Signs in with a passkey whose signature was just verified. */
export const signIn = (db: Db, { id, counter }: { id: string; counter: number }, device: managers.Device, now: Date) =>
  db.write(async (orm) => {
    const used = await orm
      .update(passkeys)
      .set({ counter, lastUsedAt: now })
      .where(eq(passkeys.id, id))
      .returning({ managerId: passkeys.managerId })
      .get();
    const manager = used && (await orm.select().from(managerRows).where(eq(managerRows.id, used.managerId)).get());
    return manager && (await managers.begin(orm, manager, { device, method: "passkey" }, now));
  });

const challengeLifetimeMs = 5 * 60_000;

/** Stores a challenge for five minutes. `subject` is the session it is for; null before the sign-in. */
export const issueChallenge = (
  db: Db,
  { hash, subject = null }: { hash: string; subject?: string | null },
  now: Date,
) =>
  db.write((orm) =>
    tokens.issue(
      orm,
      { hash, purpose: "passkey", subject, expiresAt: new Date(now.getTime() + challengeLifetimeMs) },
      now,
    ),
  );

/** Uses up the challenge. Returns false if it is not one of ours, or was used before. */
export const redeemChallenge = (db: Db, { hash, subject }: { hash: string; subject?: string }, now: Date) =>
  db.write(async (orm) => {
    const token = await tokens.redeem(orm, { hash, purpose: "passkey" }, now);
    return token !== undefined && token.subject === (subject ?? null);
  });
