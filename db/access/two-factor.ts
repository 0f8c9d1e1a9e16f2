import { and, count, eq, isNull } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import * as audit from "../audit";
import { managers as managerRows, recoveryCodes } from "../schema/access";
import { isLastFactor } from "./access-rules";
import * as managers from "./managers";
import * as oneTimeTokens from "./one-time-tokens";

type NewSecondStep = {
  sealedSecret: string;
  step: number;
  codeHashes: string[];
  /** The hash of the set-up form's token, and its session. */
  form: { hash: string; sessionId: string };
};

/**
 * Turns on two-step verification and invalidates earlier recovery codes. Returns false if the set-up form was already
 * used, or has expired: its secret may be known to someone since.
 */
export const turnOn = (
  db: Db,
  { manager: { id, email }, second }: { manager: managers.Manager; second: NewSecondStep },
  by: audit.Actor,
  now: Date,
) =>
  db.write(async (orm) => {
    const { hash, sessionId: subject } = second.form;
    if (!(await oneTimeTokens.redeem(orm, { hash, purpose: "form", subject }, now))) return false;
    await orm
      .update(managerRows)
      .set({ totpSecret: second.sealedSecret, totpLastStep: second.step })
      .where(eq(managerRows.id, id))
      .run();
    await store(orm, id, second.codeHashes);
    await audit.record(orm, { ...by, action: "second-step.turn-on", targetId: id, target: email }, now);
    return true;
  });

/** Returns false if an owner requires it of everyone and this manager has no passkey. */
export const turnOff = (db: Db, manager: managers.Manager, by: audit.Actor, now: Date) =>
  db.write(async (orm) => {
    if (await isLastFactor(orm, manager, "totp")) return false;
    const { id, email } = manager;
    await orm.update(managerRows).set({ totpSecret: null, totpLastStep: null }).where(eq(managerRows.id, id)).run();
    await store(orm, id, []);
    await audit.record(orm, { ...by, action: "second-step.turn-off", targetId: id, target: email }, now);
    return true;
  });

export const replaceCodes = (
  db: Db,
  { manager: { id, email }, codeHashes }: { manager: managers.Manager; codeHashes: string[] },
  by: audit.Actor,
  now: Date,
) =>
  db.write(async (orm) => {
    await store(orm, id, codeHashes);
    await audit.record(orm, { ...by, action: "second-step.replace-codes", targetId: id, target: email }, now);
  });

async function store(orm: Orm, managerId: string, hashes: string[]) {
  await orm.delete(recoveryCodes).where(eq(recoveryCodes.managerId, managerId)).run();
  if (hashes.length)
    await orm
      .insert(recoveryCodes)
      .values(hashes.map((hash) => ({ managerId, hash })))
      .run();
}

export const codesLeft = (db: Db, managerId: string) =>
  db.read(
    async (orm) =>
      (
        await orm
          .select({ n: count() })
          .from(recoveryCodes)
          .where(and(eq(recoveryCodes.managerId, managerId), isNull(recoveryCodes.usedAt)))
          .get()
      )?.n ?? 0,
  );
