import { and, count, eq, gt, isNull, lt, or } from "drizzle-orm";
import * as audit from "../audit";
import type { Db, Orm } from "../engine/open";
import { managers as managerRows, recoveryCodes } from "../schema/access";
import { isLastFactor } from "./access-rules";
import * as managers from "./managers";
import * as oneTimeTokens from "./one-time-tokens";
import * as tokens from "./one-time-tokens";

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

/** What was entered: an authenticator code, by its time step (RFC 6238), or the hash of a recovery code. */
export type Proof = { step: number } | { codeHash: string };

/** Stores a token which proves that the password was correct, while the second step is pending. */
export const startSecondStep = (db: Db, token: { hash: string; managerId: string; expiresAt: Date }, now: Date) =>
  db.write(async (orm) => {
    const { managerId: subject, ...rest } = token;
    await tokens.issue(orm, { ...rest, subject, purpose: "second-step" }, now);
  });

/** Returns the manager whose second step is pending. */
export const awaitingSecondStep = (db: Db, hash: string, now: Date) =>
  db.read(async (orm) => {
    const subject = (await tokens.find(orm, { hash, purpose: "second-step" }, now))?.subject;
    return subject ? await managers.find(orm, { id: subject }) : undefined;
  });

/** Signs the manager in if the proof was not used before: every code works once. Returns undefined if it was. */
export const signIn = (
  db: Db,
  { hash, manager, proof }: { hash: string; manager: managers.Manager; proof: Proof },
  device: managers.Device,
  now: Date,
) =>
  db.write(async (orm) => {
    if (!(await consume(orm, manager.id, proof, now))) return;
    if (!(await tokens.redeem(orm, { hash, purpose: "second-step", subject: manager.id }, now))) return;
    return managers.begin(
      orm,
      manager,
      { device, method: "step" in proof ? "password and code" : "recovery code" },
      now,
    );
  });

async function consume(orm: Orm, managerId: string, proof: Proof, now: Date): Promise<boolean> {
  if ("step" in proof)
    return (
      (await orm
        .update(managerRows)
        .set({ totpLastStep: proof.step })
        .where(
          and(
            eq(managerRows.id, managerId),
            or(
              isNull(managerRows.totpLastStep),
              lt(managerRows.totpLastStep, proof.step),
              gt(managerRows.totpLastStep, proof.step + 2), // newer than any current code: the clock was ahead
            ),
          ),
        )
        .returning({ id: managerRows.id })
        .get()) !== undefined
    );
  const { codeHash: hash } = proof;
  return (
    (await orm
      .update(recoveryCodes)
      .set({ usedAt: now })
      .where(and(eq(recoveryCodes.managerId, managerId), eq(recoveryCodes.hash, hash), isNull(recoveryCodes.usedAt)))
      .returning({ hash: recoveryCodes.hash })
      .get()) !== undefined
  );
}
