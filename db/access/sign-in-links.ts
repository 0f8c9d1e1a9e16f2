import { eq } from "drizzle-orm";
import * as audit from "../audit";
import type { AuditAction } from "../audit";
import type { Db, Orm } from "../engine/open";
import { emailKey } from "../lib/email-key";
import * as outbox from "../mail/outbox";
import { managers as managerRows, passkeys, recoveryCodes } from "../schema/access";
import * as managers from "./managers";
import * as tokens from "./one-time-tokens";
import * as sessions from "./sessions";

/**
 * One-time sign-in links: for the first owner (`setup`), an invited manager (`invite`), or a manager who lost their
 * password (`reset`). Only the hash of the token is stored.
 */
type SignInLink =
  | { purpose: "setup" }
  | { purpose: "invite"; email: string; role: managers.Role }
  | { purpose: "reset"; managerId: string; email: string };

type NewToken = { hash: string; expiresAt: Date };

/** Who creates a link. Without a manager it is the command line, used by whoever runs the server. */
export type Creator = audit.Actor & { managerId?: string };

/**
 * Creates the link for the first owner. Returns undefined if there already is a manager (D36). Invalidates earlier
 * links, unless other processes may have printed them: then all work until one of them is used.
 */
export const createSetup = (db: Db, { hash, expiresAt }: NewToken, now: Date) =>
  db.write(async (orm) => {
    if ((await managers.countAll(orm)) > 0) return;
    if (!db.isShared) await tokens.withdraw(orm, "setup", "first");
    await tokens.issue(orm, { hash, purpose: "setup", subject: "first", expiresAt }, now);
    return { hash };
  });

const mayCreate = async (orm: Orm, managerId: string | undefined) =>
  managerId === undefined || (await managers.find(orm, { id: managerId }))?.role === "owner";

/** Creates a password reset link. Returns undefined if no manager has this address, or the creator is not an owner. */
export const createReset = (
  db: Db,
  { email, token: { hash, expiresAt } }: { email: string; token: NewToken },
  maker: Creator,
  now: Date,
) =>
  db.write(async (orm) => {
    const { managerId: madeBy, ...by } = maker;
    const manager = await managers.find(orm, { email });
    if (!manager || !(await mayCreate(orm, madeBy))) return;
    await tokens.withdraw(orm, "reset", manager.id);
    await tokens.issue(orm, { hash, purpose: "reset", subject: manager.id, madeBy, expiresAt }, now);
    await audit.record(orm, { ...by, action: "manager.reset", targetId: manager.id, target: manager.email }, now);
    return manager;
  });

/** Returns what the link is for, while it is valid. Does not use it up. */
export const find = (db: Db, hash: string, now: Date) =>
  db.read(async (orm): Promise<SignInLink | undefined> => {
    for (const purpose of ["setup", "invite", "reset"] as const) {
      const token = await tokens.find(orm, { hash, purpose }, now);
      if (token) return linkOf(orm, token);
    }
    return undefined;
  });

async function linkOf(orm: Orm, { purpose, subject, payload }: tokens.OneTimeToken): Promise<SignInLink | undefined> {
  if (purpose === "setup") return (await managers.countAll(orm)) > 0 ? undefined : { purpose };
  if (purpose === "invite") return { purpose, email: payload.email ?? "", role: managers.roleOf(payload.role) };
  const manager = await managers.find(orm, { id: subject ?? "" });
  return manager && { purpose: "reset", managerId: manager.id, email: manager.email };
}

/**
 * Uses a setup link or an invitation: creates the manager and signs them in. Returns undefined if the link was used,
 * has expired, or no longer applies. Of several concurrent uses exactly one succeeds.
 */
export const signUp = (
  db: Db,
  {
    link,
    person,
  }: {
    link: { hash: string; purpose: "setup" | "invite" };
    person: { email: string; name: string; passwordHash: string };
  },
  device: managers.Device,
  now: Date,
) =>
  db.write(async (orm) => {
    const token = await tokens.redeem(orm, link, now);
    if (!token || (link.purpose === "setup" && (await managers.countAll(orm)) > 0)) return;
    const isInvited = link.purpose === "invite";
    const { email = person.email } = isInvited ? token.payload : {};
    const role = isInvited ? managers.roleOf(token.payload.role) : "owner";
    const manager = await managers.create(orm, { ...person, email, role }, now);
    if (!manager) return;
    const action: AuditAction = link.purpose === "setup" ? "manager.set-up" : "manager.join";
    const event = { actor: email, address: device.address, action, targetId: manager.id, target: email };
    await audit.record(orm, { ...event, details: { role } }, now);
    return managers.begin(orm, manager, { device, method: "link" }, now);
  });

/**
 * Uses a reset link: sets the new password, ends every session, and turns off two-step verification and passkeys,
 * because the manager may have lost them or be locking out an intruder. The intruder may also have created invitations
 * in the manager's name, so those are withdrawn.
 */
export const reset = (
  db: Db,
  { hash, passwordHash }: { hash: string; passwordHash: string },
  device: managers.Device,
  now: Date,
) =>
  db.write(async (orm) => {
    const id = (await tokens.redeem(orm, { hash, purpose: "reset" }, now))?.subject ?? "";
    const manager = await orm
      .update(managerRows)
      .set({ passwordHash, totpSecret: null, totpLastStep: null })
      .where(eq(managerRows.id, id))
      .returning()
      .get();
    if (!manager) return;
    await orm.delete(recoveryCodes).where(eq(recoveryCodes.managerId, id)).run();
    await orm.delete(passkeys).where(eq(passkeys.managerId, id)).run();
    await sessions.endAll(orm, id);
    const by = { actor: manager.email, address: device.address };
    const event = { ...by, action: "manager.change-password" as const, targetId: id, target: manager.email };
    await audit.record(orm, { ...event, details: { by: "reset link" } }, now);
    await managers.withdrawFor(orm, { manager, because: "the password was reset" }, by, now);
    await managers.withdrawMadeBy(orm, { manager, because: "the password of its creator was reset" }, by, now);
    return managers.begin(orm, manager, { device, method: "link" }, now);
  });

/** An invitation with a seed, from which its link is made, is sent by email (docs/decisions/emails.md). */
type NewInvitation = NewToken & { seed?: string };

/**
 * Invites the address, and invalidates its earlier invitations. Returns "taken" if it already belongs to a manager, and
 * "not-allowed" if the creator is no longer an owner. That is checked inside the transaction, because a removed owner's
 * links are withdrawn.
 */
export const invite = (
  db: Db,
  {
    invited: { email, role },
    link: { hash, expiresAt, seed: subjectId },
  }: { invited: { email: string; role: managers.Role }; link: NewInvitation },
  { managerId: madeBy, ...by }: Creator,
  now: Date,
) =>
  db.write(async (orm) => {
    const subject = emailKey(email);
    if (!(await mayCreate(orm, madeBy))) return "not-allowed";
    if (await managers.find(orm, { email })) return "taken";
    await tokens.withdraw(orm, "invite", subject);
    await tokens.issue(orm, { hash, purpose: "invite", subject, payload: { email, role }, madeBy, expiresAt }, now);
    const mail = { kind: "invitation" as const, recipient: email, payload: { role, hash, by: by.actor } };
    if (subjectId) await outbox.enqueue(orm, { ...mail, subjectId }, now);
    await audit.record(orm, { ...by, action: "manager.invite", target: email, details: { role } }, now);
    return "made";
  });

/** Returns the pending invitations. */
export const invitations = (db: Db, now: Date) =>
  db.read(async (orm) =>
    (await tokens.listUsable(orm, "invite", now)).map(({ payload, expiresAt, createdAt }) => ({
      email: payload.email ?? "",
      role: managers.roleOf(payload.role),
      createdAt,
      expiresAt,
    })),
  );

export const withdrawInvitation = (db: Db, email: string, by: audit.Actor, now: Date) =>
  db.write(async (orm) => {
    const withdrawn = await tokens.withdraw(orm, "invite", emailKey(email));
    if (withdrawn) await audit.record(orm, { ...by, action: "manager.withdraw-invitation", target: email }, now);
    return withdrawn;
  });
