import { count, eq } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import * as audit from "../audit";
import { accessRules, managers, passkeys } from "../schema/access";

type Manager = typeof managers.$inferSelect;

const twoFactor = "two-factor";
const graceMs = 7 * 86_400_000;

/** What an owner requires of every manager is said so in the audit log. */
const target = "two-step verification or a passkey";

/** As a condition: the row of the rule "every manager needs two-step verification or a passkey", when it holds (P76). */
export const isTwoFactorRule = eq(accessRules.name, twoFactor);

const ruleIn = (orm: Orm) => orm.select().from(accessRules).where(isTwoFactorRule).get();

/** Since when every manager needs two-step verification or a passkey; undefined when that is left to each of them. */
export const twoFactorSince = (db: Db) => db.read((orm) => ruleIn(orm)?.since);

/** The end of the grace: seven days from the rule, or from the day the manager joined. */
export const graceEnd = (since: Date, { createdAt }: Pick<Manager, "createdAt">) =>
  new Date(Math.max(since.getTime(), createdAt.getTime()) + graceMs);

const passkeysOf = (orm: Orm, managerId: string) =>
  orm.select({ n: count() }).from(passkeys).where(eq(passkeys.managerId, managerId)).get()?.n ?? 0;

/**
 * Whether the password alone lets this manager in no longer: the rule holds, his grace is over, and he has a passkey to
 * sign in with. Who has nothing yet comes in to set something up, and gets no further.
 */
export function needsPasskey(orm: Orm, manager: Manager, now: Date): boolean {
  const rule = ruleIn(orm);
  const isBound = rule !== undefined && graceEnd(rule.since, manager) <= now;
  return isBound && manager.totpSecret === null && passkeysOf(orm, manager.id) > 0;
}

/** Whether the rule holds and this is all the manager has to fulfil it with: then it stays. */
export function isLastFactor(orm: Orm, { id }: Pick<Manager, "id">, factor: "totp" | "passkey"): boolean {
  if (!ruleIn(orm)) return false;
  if (factor === "totp") return passkeysOf(orm, id) === 0;
  const row = orm.select({ totpSecret: managers.totpSecret }).from(managers).where(eq(managers.id, id)).get();
  return !row?.totpSecret && passkeysOf(orm, id) <= 1;
}

/** Turns the rule on or off. False when who asks is no owner any more. What it was already stays as it is. */
export const requireTwoFactor = (db: Db, asker: Manager, isRequired: boolean, by: audit.Actor, now: Date) =>
  db.write((orm) => {
    const role = orm.select({ role: managers.role }).from(managers).where(eq(managers.id, asker.id)).get()?.role;
    if (role !== "owner") return false;
    const rule = { name: twoFactor, since: now } as const;
    const changed = isRequired
      ? orm.insert(accessRules).values(rule).onConflictDoNothing().returning().all()
      : orm.delete(accessRules).where(isTwoFactorRule).returning().all();
    const action = isRequired ? "manager.require" : "manager.waive";
    if (changed.length) audit.record(orm, { ...by, action, target }, now);
    return true;
  });
