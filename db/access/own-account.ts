import { eq } from "drizzle-orm";
import type { Db } from "../engine/open";
import * as audit from "../audit";
import { managers } from "../schema/access";
import { withdrawFor } from "./link-withdrawal";
import * as sessions from "./sessions";
import { type Device, find, isUnchanged, type Manager } from "./managers";

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
