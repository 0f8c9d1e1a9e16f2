import { eq } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import * as audit from "../audit";
import { withdrawFor, withdrawMadeBy } from "./link-withdrawal";
import { find, type Manager, type Role } from "./managers";
import * as sessionEnd from "./sessions";
import { managers } from "../schema/access";

/*
 * What an owner does to another manager's account.
 */

/** Why nothing was done: the target is the manager themselves or gone, or the acting manager is not an owner. */
export type Unchanged = "yourself" | "gone" | "not-allowed";

/** Changes the role and ends the manager's sessions, so that it applies from the next sign-in. */
export const changeRole = (
  db: Db,
  { actingManager, id, role }: { actingManager: Manager; id: string; role: Role },
  by: audit.Actor,
  now: Date,
) =>
  db.write(async (orm) => {
    const target = await findChangeable(orm, actingManager, id);
    if (typeof target === "string") return target;
    await orm.update(managers).set({ role }).where(eq(managers.id, id)).run();
    await sessionEnd.endAll(orm, id);
    const details = { from: target.role, to: role };
    await audit.record(orm, { ...by, action: "manager.change-role", targetId: id, target: target.email, details }, now);
    if (role !== "owner")
      await withdrawMadeBy(orm, { manager: target, because: "its creator is no longer an owner" }, by, now);
    return target;
  });

/** Why what a manager made is withdrawn, in the audit log. */
export const creatorRemoved = "its creator was removed";

/** Removes the manager's access immediately, inside the caller's transaction. */
export async function removeIn(
  orm: Orm,
  { actingManager, id }: { actingManager: Manager; id: string },
  by: audit.Actor,
  now: Date,
) {
  const target = await findChangeable(orm, actingManager, id);
  if (typeof target === "string") return target;
  await orm.delete(managers).where(eq(managers.id, id)).run(); // cascades to sessions, passkeys and recovery codes
  await audit.record(orm, { ...by, action: "manager.remove", targetId: id, target: target.email }, now);
  await withdrawFor(orm, { manager: target, because: "the manager was removed" }, by, now);
  await withdrawMadeBy(orm, { manager: target, because: creatorRemoved }, by, now);
  return target;
}

/** Signs another manager out everywhere. */
export const endSessions = (
  db: Db,
  { actingManager, id }: { actingManager: Manager; id: string },
  by: audit.Actor,
  now: Date,
) =>
  db.write(async (orm) => {
    const target = await findChangeable(orm, actingManager, id);
    if (typeof target === "string") return target;
    const sessionsEnded = String(await sessionEnd.endAll(orm, id));
    await audit.record(
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
async function findChangeable(orm: Orm, actingManager: Manager, id: string): Promise<Manager | Unchanged> {
  if (actingManager.id === id) return "yourself";
  if ((await find(orm, { id: actingManager.id }))?.role !== "owner") return "not-allowed";
  return (await find(orm, { id })) ?? "gone";
}
