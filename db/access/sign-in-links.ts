import { eq } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import * as audit from "../audit";
import type { AuditAction } from "../audit-actions";
import { emailKey } from "../lib/email-key";
import { withdrawFor, withdrawMadeBy } from "./link-withdrawal";
import * as managers from "./managers";
import * as tokens from "./one-time-tokens";
import { managers as managerRows, passkeys, recoveryCodes } from "../schema/access";
import * as sessions from "./sessions";

/**
 * Links that let somebody in once: the first owner (`setup`), an invited manager (`invite`), a manager who lost his
 * password (`reset`). Only the hash of the token is stored.
 */
type SignInLink =
  | { purpose: "setup" }
  | { purpose: "invite"; email: string; role: managers.Role }
  | { purpose: "reset"; managerId: string; email: string };

type NewToken = { hash: string; expiresAt: Date };

/** Who makes a link. No manager: the command line, by whoever runs the server. */
export type Creator = audit.Actor & { managerId?: string };

/** The link for the first owner; those made before stop working. Undefined when there is a manager already (D36). */
export const createSetup = (db: Db, { hash, expiresAt }: NewToken, now: Date) =>
  db.write((orm) => {
    if (managers.countAll(orm) > 0) return;
    tokens.withdraw(orm, "setup", "first");
    tokens.issue(orm, { hash, purpose: "setup", subject: "first", expiresAt }, now);
    return { hash };
  });

/**
 * Invites the address; earlier invitations of it stop working. "taken" when it is a manager's already, "not-allowed" when
 * the maker is no owner any more: that is asked inside the transaction, after which his links are withdrawn (P74).
 */
export const invite = (
  db: Db,
  { email, role }: { email: string; role: managers.Role },
  { hash, expiresAt }: NewToken,
  { managerId: madeBy, ...by }: Creator,
  now: Date,
) =>
  db.write((orm) => {
    const subject = emailKey(email);
    if (!mayCreate(orm, madeBy)) return "not-allowed";
    if (managers.find(orm, { email })) return "taken";
    tokens.withdraw(orm, "invite", subject);
    tokens.issue(orm, { hash, purpose: "invite", subject, payload: { email, role }, madeBy, expiresAt }, now);
    audit.record(orm, { ...by, action: "manager.invite", target: email, details: { role } }, now);
    return "made";
  });

const mayCreate = (orm: Orm, managerId: string | undefined) =>
  managerId === undefined || managers.find(orm, { id: managerId })?.role === "owner";

/** Whom invitations wait for. */
export const invitations = (db: Db, now: Date) =>
  db.read((orm) =>
    tokens.listUsable(orm, "invite", now).map(({ payload, expiresAt, createdAt }) => ({
      email: payload.email ?? "",
      role: payload.role as managers.Role,
      createdAt,
      expiresAt,
    })),
  );

export const withdrawInvitation = (db: Db, email: string, by: audit.Actor, now: Date) =>
  db.write((orm) => {
    const withdrawn = tokens.withdraw(orm, "invite", emailKey(email));
    if (withdrawn) audit.record(orm, { ...by, action: "manager.withdraw-invitation", target: email }, now);
    return withdrawn;
  });

/** The link with which a manager sets a new password. Undefined when nobody has this address, or the maker is no owner. */
export const createReset = (db: Db, email: string, { hash, expiresAt }: NewToken, maker: Creator, now: Date) =>
  db.write((orm) => {
    const { managerId: madeBy, ...by } = maker;
    const manager = managers.find(orm, { email });
    if (!manager || !mayCreate(orm, madeBy)) return;
    tokens.withdraw(orm, "reset", manager.id);
    tokens.issue(orm, { hash, purpose: "reset", subject: manager.id, madeBy, expiresAt }, now);
    audit.record(orm, { ...by, action: "manager.reset", targetId: manager.id, target: manager.email }, now);
    return manager;
  });

/** What the link is for, as long as it works. Looking does not use it up. */
export const find = (db: Db, hash: string, now: Date) =>
  db.read((orm): SignInLink | undefined => {
    const token = (["setup", "invite", "reset"] as const)
      .map((purpose) => tokens.find(orm, { hash, purpose }, now))
      .find(Boolean);
    return token && linkOf(orm, token);
  });

function linkOf(orm: Orm, { purpose, subject, payload }: tokens.OneTimeToken): SignInLink | undefined {
  if (purpose === "setup") return managers.countAll(orm) > 0 ? undefined : { purpose };
  if (purpose === "invite") return { purpose, email: payload.email ?? "", role: payload.role as managers.Role };
  const manager = managers.find(orm, { id: subject ?? "" });
  return manager && { purpose: "reset", managerId: manager.id, email: manager.email };
}

/**
 * Uses a set-up link or an invitation: there is a new manager, signed in. Undefined when the link was used, is too old,
 * or came too late. Of many uses at once exactly one gets in.
 */
export const signUp = (
  db: Db,
  link: { hash: string; purpose: "setup" | "invite" },
  person: { email: string; name: string; passwordHash: string },
  device: managers.Device,
  now: Date,
) =>
  db.write((orm) => {
    const token = tokens.redeem(orm, link, now);
    if (!token || (link.purpose === "setup" && managers.countAll(orm) > 0)) return;
    const invited = link.purpose === "invite" ? token.payload : { role: "owner" as const, email: person.email };
    const { email = person.email, role } = invited as { email?: string; role: managers.Role };
    const manager = managers.create(orm, { ...person, email, role }, now);
    if (!manager) return;
    const action: AuditAction = link.purpose === "setup" ? "manager.set-up" : "manager.join";
    const event = { actor: email, address: device.address, action, targetId: manager.id, target: email };
    audit.record(orm, { ...event, details: { role } }, now);
    return managers.begin(orm, manager, device, "link", now);
  });

/**
 * Uses a reset link: the new password holds, every session ends, and second step and passkeys are off, because whoever
 * needs such a link may have lost them, or has somebody to lock out; who may have invited himself in his name.
 */
export const reset = (db: Db, hash: string, passwordHash: string, device: managers.Device, now: Date) =>
  db.write((orm) => {
    const id = tokens.redeem(orm, { hash, purpose: "reset" }, now)?.subject ?? "";
    const manager = orm
      .update(managerRows)
      .set({ passwordHash, totpSecret: null, totpLastStep: null })
      .where(eq(managerRows.id, id))
      .returning()
      .get();
    if (!manager) return;
    orm.delete(recoveryCodes).where(eq(recoveryCodes.managerId, id)).run();
    orm.delete(passkeys).where(eq(passkeys.managerId, id)).run();
    sessions.endAll(orm, id);
    const by = { actor: manager.email, address: device.address };
    const event = { ...by, action: "manager.change-password" as const, targetId: id, target: manager.email };
    audit.record(orm, { ...event, details: { by: "reset link" } }, now);
    withdrawFor(orm, manager, "the password was reset", by, now);
    withdrawMadeBy(orm, manager, "the password of its maker was reset", by, now);
    return managers.begin(orm, manager, device, "link", now);
  });
