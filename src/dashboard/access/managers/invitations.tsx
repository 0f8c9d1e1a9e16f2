import { z } from "zod";
import * as invitationLinks from "../../../../db/access/invitation-links";
import type { FieldError } from "../../../../views/components/forms/field-errors";
import { InvitationLink, InviteForm } from "../../../../views/dashboard/access/managers";
import type { Deps } from "../../deps";
import { isLive } from "../../../mail/open";
import { createInvitation, mailInvitation } from "../../../security/invitations";
import { actorOf, managerFor } from "../../../security/session/session";
import { ask, seeOther } from "../../responses";
import { readForm, typed } from "../../form-input";
import { forOwners, frameOf } from "../../pages";
import { inputsOf } from "../../../fields/field";
import { ManagerFields } from "../../../fields/manager";
import { paths } from "../../../../views/paths";

const path = paths.managers;

/** What only owners may do here, as a refusal words it. */
export const manageAccess = "manage access";
export const role = z.enum(["owner", "manager"], { error: "Choose owner or manager." });

const Invitation = z.object({ email: ManagerFields.shape.email, role, by: z.enum(["email", "link"]).catch("link") });

const { email: emailInput } = inputsOf(ManagerFields);

export async function askInvitation(deps: Deps, request: Request, refused?: { email: string; errors: FieldError[] }) {
  const frame = await frameOf(deps, request);
  const canMail = isLive(deps.config);
  const children = (
    <InviteForm frame={frame} input={emailInput} email={refused?.email} errors={refused?.errors} canMail={canMail} />
  );
  return ask(request, { frame, title: "Invite manager", status: refused ? 422 : 200, children });
}

export async function invite(deps: Deps, request: Request, body: unknown) {
  const { input, errors } = readForm(Invitation, body);
  if (errors) return askInvitation(deps, request, { email: typed(body, "email"), errors });
  const by = { ...actorOf(request), managerId: managerFor(request).manager.id };
  const isMailed = input.by === "email" && isLive(deps.config);
  const link = await (isMailed ? mailInvitation : createInvitation)(deps, input, by, deps.now());
  const taken = { field: "email", message: "This person is already a manager." };
  if (link === "not-allowed") return forOwners(manageAccess);
  if (link === "taken") return askInvitation(deps, request, { email: input.email, errors: [taken] });
  if (link === "made") {
    const text = `Invitation for ${input.email} queued. Its link is valid for three days.`;
    return seeOther(request, path, { kind: "good", text });
  }
  const frame = await frameOf(deps, request);
  const children = <InvitationLink email={input.email} link={link} frame={frame} back={path} />;
  return ask(request, { frame, title: "Share this link", status: 201, dismiss: "by-button", children });
}

export async function withdrawInvitation({ db, now }: Deps, request: Request, email: string) {
  const withdrawn = await invitationLinks.withdrawInvitation(db, email, actorOf(request), now());
  const text = withdrawn
    ? `Invitation for ${email} withdrawn. The link no longer works.`
    : "That invitation was already used or withdrawn.";
  return seeOther(request, path, { kind: "good", text });
}
