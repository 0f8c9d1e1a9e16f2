import { z } from "zod";
import * as accessRules from "../../../db/access/access-rules";
import * as managers from "../../../db/access/managers";
import * as invitationLinks from "../../../db/access/sign-in-links";
import { nameOfRule } from "../../../db/broadcasts/from-posts/rules";
import { changeRole as changeRoleOf, removeManager, seesPeople, setUpBy } from "../../../db/manager-removal";
import type { FieldError } from "../../../views/components/forms/field-errors";
import type { Notice } from "../../../views/components/frame";
import { roleTexts } from "../../../views/components/roles";
import {
  FreshInvitations,
  InvitationLink,
  InviteForm,
  ManagersPage,
  RoleForm,
} from "../../../views/dashboard/access/managers";
import { RemoveManager } from "../../../views/dashboard/access/removal";
import { paths } from "../../../views/paths";
import { inputsOf } from "../../fields/field";
import { ManagerFields } from "../../fields/manager";
import { isLive } from "../../mail/open";
import { actorOf, managerFor, requireFresh } from "../../security/session";
import { createInvitation, mailInvitation } from "../../security/sign-in-links";
import type { Deps } from "../deps";
import { readForm, typed } from "../form-input";
import { frameOf, pages, refusalFor } from "../pages";
import { forOwners } from "../permissions";
import { seeOther, show, showDialog } from "../responses";

const path = paths.managers;

const chooseRole = "Choose a role: manager, editor, analyst or owner.";
const accessManagers = forOwners("manage access");
const role = z.enum(managers.roles, { error: chooseRole });

const NewRole = z.object({ role });

/** `/dashboard/managers`: who has access. For owners who confirmed their password recently. */
export const managersDashboard = (deps: Deps) =>
  pages(path, deps, accessManagers)
    .onBeforeHandle(({ request }) => requireFresh(request, deps.now()))
    .get("/", ({ request }) => showManagers(deps, request))
    .post("/two-step", ({ request, body }) => requireTwoFactor(deps, request, typed(body, "required") === "on"))
    .get("/invite", ({ request }) => askInvitation(deps, request))
    .post("/invite", ({ request, body }) => invite(deps, request, body))
    .post("/invitations/withdraw", ({ request, body }) => withdrawInvitation(deps, request, typed(body, "email")))
    .get("/:id/role", ({ request, params: { id } }) => askRole(deps, request, id))
    .post("/:id/role", ({ request, params: { id }, body }) => changeRole(deps, request, id, body))
    .post("/:id/sign-out", ({ request, params: { id } }) => signOut(deps, request, id))
    .get("/:id/remove", ({ request, params: { id } }) => askRemoval(deps, request, id))
    .post("/:id/remove", ({ request, params: { id }, body }) => remove(deps, request, id, body));

async function showManagers(deps: Deps, request: Request) {
  const { db, now } = deps;
  const [frame, people, invitations, since] = await Promise.all([
    frameOf(deps, request),
    managers.list(db, now()),
    invitationLinks.invitations(db, now()),
    accessRules.twoFactorSince(db),
  ]);
  const rule = { since, due: since ? dueIn(people, since) : [] };
  return show(
    { frame, title: "Managers" },
    <ManagersPage frame={frame} people={people} invitations={invitations} rule={rule} />,
  );
}

async function requireTwoFactor(deps: Deps, request: Request, isRequired: boolean) {
  const { db, now } = deps;
  const { manager } = managerFor(request);
  const isDone = await accessRules.requireTwoFactor(db, { manager, isRequired }, actorOf(request), now());
  return isDone ? seeOther(request, `${path}#two-step`, ruleNotice(isRequired)) : refuse(deps, request);
}

/** For those who are no longer owners since the request began. */
const refuse = (deps: Deps, request: Request) => refusalFor(deps, request, accessManagers);

async function askRole(deps: Deps, request: Request, id: string) {
  const frame = await frameOf(deps, request);
  const manager = await managers.byId(deps.db, id);
  if (!manager) return seeOther(request, path, noticeOf("gone", ""));
  const { setUp } = seesPeople(manager.role) ? await setUpOf(deps, manager) : {};
  const hasAny = setUp && Object.values(setUp).some((list) => list.length > 0);
  const children = <RoleForm frame={frame} manager={manager} setUp={hasAny ? setUp : undefined} />;
  return showDialog(request, { frame, title: `Change the role of ${manager.name || manager.email}`, children });
}

async function changeRole({ db, now }: Deps, request: Request, id: string, body: unknown) {
  const { input } = readForm(NewRole, body);
  if (!input) return seeOther(request, path, { kind: "bad", text: chooseRole });
  const { manager } = managerFor(request);
  const changed = await changeRoleOf(
    db,
    { actingManager: manager, id, role: input.role, keep: keptIn(body) },
    actorOf(request),
    now(),
  );
  return seeOther(request, path, noticeOf(changed, `is now ${roleTexts[input.role].article}`));
}

async function signOut({ db, now }: Deps, request: Request, id: string) {
  const changed = await managers.endSessions(
    db,
    { actingManager: managerFor(request).manager, id },
    actorOf(request),
    now(),
  );
  return seeOther(request, path, noticeOf(changed, "was signed out of all devices"));
}

/** Managers who have neither two-step verification nor a passkey yet, and their deadlines. */
const dueIn = (people: Awaited<ReturnType<typeof managers.list>>, since: Date) =>
  people
    .filter(({ hasSecondStep, passkeys }) => !hasSecondStep && passkeys === 0)
    .map((person) => ({ email: person.email, dueAt: accessRules.graceEnd(since, person) }));

const ruleNotice = (isRequired: boolean): Notice => ({
  kind: "good",
  text: isRequired
    ? "Every manager now needs two-step verification or a passkey."
    : "Two-step verification is now each manager’s choice.",
});

const Invitation = z.object({ email: ManagerFields.shape.email, role, by: z.enum(["email", "link"]).catch("link") });

const { email: emailInput } = inputsOf(ManagerFields);

async function askInvitation(
  deps: Deps,
  request: Request,
  refused?: { email: string; role: managers.Role; errors: FieldError[] },
) {
  const frame = await frameOf(deps, request);
  const canMail = isLive(deps.config);
  const children = <InviteForm frame={frame} input={emailInput} {...refused} canMail={canMail} />;
  return showDialog(request, { frame, title: "Invite manager", status: refused ? 422 : 200, children });
}

async function invite(deps: Deps, request: Request, body: unknown) {
  const { input, errors } = readForm(Invitation, body);
  if (errors)
    return askInvitation(deps, request, {
      email: typed(body, "email"),
      role: role.catch("manager").parse(typed(body, "role")),
      errors,
    });
  const by = { ...actorOf(request), managerId: managerFor(request).manager.id };
  const isMailed = input.by === "email" && isLive(deps.config);
  const link = await (isMailed ? mailInvitation : createInvitation)(deps, input, by, deps.now());
  const alreadyManager = { field: "email", message: "This person is already a manager." };
  if (link === "not-allowed") return refuse(deps, request);
  if (link === "taken") return askInvitation(deps, request, { ...input, errors: [alreadyManager] });
  if (link === "made") {
    const text = `Invitation for ${input.email} queued. Its link is valid for three days.`;
    return seeOther(request, path, { kind: "good", text });
  }
  const frame = await frameOf(deps, request);
  return showDialog(request, {
    frame,
    title: "Share this link",
    status: 201,
    dismiss: "by-button",
    children: <InvitationLink email={input.email} link={link} frame={frame} back={`${path}#invite`} />,
    beside: <FreshInvitations frame={frame} invitations={await invitationLinks.invitations(deps.db, deps.now())} />,
  });
}

async function withdrawInvitation({ db, now }: Deps, request: Request, email: string) {
  const withdrawn = await invitationLinks.withdrawInvitation(db, email, actorOf(request), now());
  const text = withdrawn
    ? `Invitation for ${email} withdrawn. The link no longer works.`
    : "That invitation was already used or withdrawn.";
  return seeOther(request, path, { kind: "good", text });
}

const maxKept = 1_000;
/** The IDs of what the owner takes over. */
const Kept = z.object({ keep: z.union([z.string(), z.array(z.string()).max(maxKept)]).optional() }).catch({});

const keptIn = (body: unknown) => new Set([Kept.parse(body).keep ?? []].flat());

/** Returns what a manager set up, as the questions name it. */
async function setUpOf({ config, db, now }: Deps, manager: managers.Manager) {
  const { getsNotifications, rules, ...others } = await setUpBy(db, manager, now());
  const setUp = { ...others, rules: rules.map((rule) => ({ id: rule.id, name: nameOfRule(rule) })) };
  return { setUp, getsNotifications: getsNotifications && !config.OWNER_EMAIL };
}

/** Asks before a manager is removed, and names what they set up that would go on without them. */
async function askRemoval(deps: Deps, request: Request, id: string) {
  const frame = await frameOf(deps, request);
  const manager = await managers.byId(deps.db, id);
  if (!manager) return seeOther(request, path, noticeOf("gone", ""));
  const children = <RemoveManager frame={frame} manager={manager} {...await setUpOf(deps, manager)} />;
  return showDialog(request, { frame, title: `Remove ${manager.name || manager.email}?`, children });
}

async function remove({ db, now }: Deps, request: Request, id: string, body: unknown) {
  const changed = await removeManager(
    db,
    { actingManager: managerFor(request).manager, id, keep: keptIn(body) },
    actorOf(request),
    now(),
  );
  return seeOther(request, path, noticeOf(changed, "was removed"));
}

const refusals: Record<managers.Unchanged, string> = {
  yourself: "You cannot do this to your own account. Ask another owner.",
  gone: "That manager was already removed.",
  "not-allowed": "You are no longer an owner.",
};

const noticeOf = (changed: managers.Manager | managers.Unchanged, what: string): Notice =>
  typeof changed === "string"
    ? { kind: changed === "gone" ? "good" : "bad", text: refusals[changed] }
    : { kind: "good", text: `${changed.name || changed.email} ${what}.` };
