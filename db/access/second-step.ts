import { and, eq, gt, isNull, lt, or } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { managers as managerRows, recoveryCodes } from "../schema/access";
import * as managers from "./managers";
import * as tokens from "./one-time-tokens";

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
