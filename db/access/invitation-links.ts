import type { Db } from "../engine/open";
import * as audit from "../audit";
import { emailKey } from "../lib/email-key";
import * as outbox from "../mail/outbox";
import * as managers from "./managers";
import * as tokens from "./one-time-tokens";
import { type Creator, mayCreate, type NewToken } from "./sign-in-links";

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
