import { z } from "zod";
import * as accessRules from "../../../../db/access/access-rules";
import * as invitationLinks from "../../../../db/access/invitation-links";
import * as managers from "../../../../db/access/managers";
import * as otherManagers from "../../../../db/access/other-managers";
import type { Notice } from "../../../../views/components/frame";
import { ManagersPage } from "../../../../views/dashboard/access/managers";
import type { Deps } from "../../deps";
import { actorOf, managerFor } from "../../../security/session/session";
import { requireFresh } from "../../../security/session/rules";
import { seeOther, show } from "../../responses";
import { readForm, typed } from "../../form-input";
import { forOwners, ownersOnly, frameOf, pages } from "../../pages";
import { askInvitation, invite, manageAccess, role, withdrawInvitation } from "./invitations";
import { askRemoval, noticeOf, path, remove } from "./removal";

const NewRole = z.object({ role });

/** `/dashboard/managers`: who has access. For owners who confirmed their password recently. */
export const managersDashboard = (deps: Deps) =>
  pages(path, deps)
    .onBeforeHandle(({ request }) => ownersOnly(request, manageAccess) ?? requireFresh(request, deps.now()))
    .get("/", ({ request }) => showManagers(deps, request))
    .post("/two-step", ({ request, body }) => requireTwoFactor(deps, request, typed(body, "required") === "on"))
    .get("/invite", ({ request }) => askInvitation(deps, request))
    .post("/invite", ({ request, body }) => invite(deps, request, body))
    .post("/invitations/withdraw", ({ request, body }) => withdrawInvitation(deps, request, typed(body, "email")))
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

async function requireTwoFactor({ db, now }: Deps, request: Request, isRequired: boolean) {
  const { manager } = managerFor(request);
  const isDone = await accessRules.requireTwoFactor(db, { manager, isRequired }, actorOf(request), now());
  return isDone ? seeOther(request, `${path}#two-step`, ruleNotice(isRequired)) : forOwners(manageAccess);
}

async function changeRole({ db, now }: Deps, request: Request, id: string, body: unknown) {
  const { input } = readForm(NewRole, body);
  if (!input) return seeOther(request, path, { kind: "bad", text: "Choose a role: owner or manager." });
  const { manager } = managerFor(request);
  const changed = await otherManagers.changeRole(
    db,
    { actingManager: manager, id, role: input.role },
    actorOf(request),
    now(),
  );
  return seeOther(request, path, noticeOf(changed, `is now ${input.role === "owner" ? "an owner" : "a manager"}`));
}

async function signOut({ db, now }: Deps, request: Request, id: string) {
  const changed = await otherManagers.endSessions(
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
