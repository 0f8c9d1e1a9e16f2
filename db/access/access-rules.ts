import { count, eq } from "drizzle-orm";
import { dayMs } from "../lib/time";
import type { Db, Orm } from "../engine/open";
import * as audit from "../audit";
import { accessRules, managers, passkeys } from "../schema/access";

type Manager = typeof managers.$inferSelect;

const twoFactor = "two-factor";
const graceMs = 7 * dayMs;

/** The audit log's name for the rule. */
const target = "two-step verification or a passkey";

/** Condition: the row of the rule "every manager needs two-step verification or a passkey", present while it is on. */
export const isTwoFactorRule = eq(accessRules.name, twoFactor);

const ruleIn = (orm: Orm) => orm.select().from(accessRules).where(isTwoFactorRule).get();

/** Returns when two-step verification or a passkey became required for every manager; undefined if it is not. */
export const twoFactorSince = (db: Db) => db.read(async (orm) => (await ruleIn(orm))?.since);

/** Returns the end of the grace period: seven days after the rule or the day the manager joined, whichever is later. */
export const graceEnd = (since: Date, { createdAt }: Pick<Manager, "createdAt">) =>
  new Date(Math.max(since.getTime(), createdAt.getTime()) + graceMs);

const passkeysOf = async (orm: Orm, managerId: string) =>
  (await orm.select({ n: count() }).from(passkeys).where(eq(passkeys.managerId, managerId)).get())?.n ?? 0;

/**
 * Whether the password alone no longer signs this manager in: the rule is on, the grace period is over, and there is a
 * passkey to sign in with. A manager with neither can still sign in, but only to set one up.
 */
export async function needsPasskey(orm: Orm, manager: Manager, now: Date): Promise<boolean> {
  const rule = await ruleIn(orm);
  const isBound = rule !== undefined && graceEnd(rule.since, manager) <= now;
  return isBound && manager.totpSecret === null && (await passkeysOf(orm, manager.id)) > 0;
}

/** Whether the rule is on and this is the manager's only factor, which must therefore be kept. */
export async function isLastFactor(
  orm: Orm,
  { id }: Pick<Manager, "id">,
  factor: "totp" | "passkey",
): Promise<boolean> {
  if (!(await ruleIn(orm))) return false;
  if (factor === "totp") return (await passkeysOf(orm, id)) === 0;
  const row = await orm.select({ totpSecret: managers.totpSecret }).from(managers).where(eq(managers.id, id)).get();
  return !row?.totpSecret && (await passkeysOf(orm, id)) <= 1;
}

/**
 * Turns the rule on or off. Returns false if `manager` is no longer an owner. Does nothing if the rule already has that
 * state.
 */
export const requireTwoFactor = (
  db: Db,
  { manager, isRequired }: { manager: Manager; isRequired: boolean },
  by: audit.Actor,
  now: Date,
) =>
  db.write(async (orm) => {
    const role = (await orm.select({ role: managers.role }).from(managers).where(eq(managers.id, manager.id)).get())
      ?.role;
    if (role !== "owner") return false;
    const rule = { name: twoFactor, since: now } as const;
    const changed = isRequired
      ? await orm.insert(accessRules).values(rule).onConflictDoNothing().returning().all()
      : await orm.delete(accessRules).where(isTwoFactorRule).returning().all();
    const action = isRequired ? "manager.require" : "manager.waive";
    if (changed.length) await audit.record(orm, { ...by, action, target }, now);
    return true;
  });
