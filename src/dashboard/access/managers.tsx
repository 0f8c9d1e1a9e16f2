import { z } from "zod";
import * as accessRules from "../../../db/access/access-rules";
import * as apiKeys from "../../../db/access/api-keys";
import * as entryLinks from "../../../db/access/sign-in-links";
import * as managers from "../../../db/access/managers";
import { Confirm } from "../../../views/components/dialog";
import { plural } from "../../../views/components/list";
import type { FieldError } from "../../../views/components/form";
import type { Notice } from "../../../views/components/frame";
import { InvitationLink, InviteForm } from "../../../views/dashboard/access/invitation";
import { ManagersPage } from "../../../views/dashboard/access/managers";
import type { Deps } from "../../boot/deps";
import { emailAddress } from "../../http/request-schemas";
import { createInvitation } from "../../security/sign-in-links";
import { actorOf, managerFor, requireFresh } from "../../security/session";
import { ask, seeOther, show } from "../responses";
import { readForm, typed } from "../form-input";
import { forOwners, ownersOnly } from "../owners-only";
import { frameOf, pages } from "../pages";
import { paths } from "../../../views/paths";

const path = paths.managers;
const manageAccess = "manage access";

const role = z.enum(["owner", "manager"], { error: "must be owner or manager" });
const Invitation = z.object({ email: emailAddress, role });
const NewRole = z.object({ role });

/** `/dashboard/managers`: who may enter. For owners, with the password typed lately. */
export const managersDesk = (deps: Deps) => {
  const { db, now } = deps;

  async function askInvitation(request: Request, refused?: { email: string; errors: FieldError[] }) {
    const frame = await frameOf(deps, request);
    const children = <InviteForm frame={frame} email={refused?.email} errors={refused?.errors} />;
    return ask(request, { frame, title: "Invite a manager", status: refused ? 422 : 200, children });
  }

  async function invite(request: Request, body: unknown) {
    const { input, errors } = readForm(Invitation, body);
    if (errors) return askInvitation(request, { email: typed(body, "email"), errors });
    const by = { ...actorOf(request), managerId: managerFor(request).manager.id };
    const link = await createInvitation(deps, input, by, now());
    const taken = { field: "email", message: "is the address of a manager already" };
    if (link === "not-allowed") return forOwners(manageAccess);
    if (link === "taken") return askInvitation(request, { email: input.email, errors: [taken] });
    const frame = await frameOf(deps, request);
    const children = <InvitationLink email={input.email} link={link} frame={frame} back={path} />;
    return ask(request, { frame, title: "Pass on this link", status: 201, dismiss: "by-button", children });
  }

  async function askRemoval(request: Request, id: string) {
    const frame = await frameOf(deps, request);
    const target = await managers.byId(db, id);
    if (!target) return seeOther(request, path, outcome("gone", ""));
    const keys = await apiKeys.countMadeBy(db, target.email);
    const children = (
      <Confirm frame={frame} action={`${path}/${id}/remove`} verb="Remove manager" cancel={path}>
        <p>
          {target.name} ({target.email}) will be signed out immediately and lose access, and their invitations will be
          withdrawn. Their entries stay in the audit log.
        </p>
        {keys > 0 && (
          <p>
            They created {plural(keys, "API key")} that will keep working. Deactivate any they may still know under{" "}
            <a href={paths.apiKeys}>API keys</a>.
          </p>
        )}
      </Confirm>
    );
    return ask(request, { frame, title: `Remove ${target.name || target.email}?`, children });
  }

  return pages(path, deps)
    .onBeforeHandle(({ request }) => ownersOnly(request, manageAccess) ?? requireFresh(request, now()))
    .get("/", async ({ request }) => {
      const [frame, people, invitations, since] = await Promise.all([
        frameOf(deps, request),
        managers.list(db, now()),
        entryLinks.invitations(db, now()),
        accessRules.twoFactorSince(db),
      ]);
      const rule = { since, due: since ? dueIn(people, since) : [] };
      return show({ frame, title: "Managers" }, <ManagersPage {...{ frame, people, invitations, rule }} />);
    })
    .post("/two-step", async ({ request, body }) => {
      const isRequired = typed(body, "required") === "on";
      const asker = managerFor(request).manager;
      const isDone = await accessRules.requireTwoFactor(db, asker, isRequired, actorOf(request), now());
      return isDone ? seeOther(request, `${path}#two-step`, ruleNotice(isRequired)) : forOwners(manageAccess);
    })
    .get("/invite", ({ request }) => askInvitation(request))
    .post("/invite", ({ request, body }) => invite(request, body))
    .post("/invitations/withdraw", async ({ request, body }) => {
      const email = typed(body, "email");
      const withdrawn = await entryLinks.withdrawInvitation(db, email, actorOf(request), now());
      const text = withdrawn
        ? `The link for ${email} no longer works.`
        : "That invitation was used or withdrawn already.";
      return seeOther(request, path, { kind: "good", text });
    })
    .post("/:id/role", async ({ request, params, body }) => {
      const { input } = readForm(NewRole, body);
      if (!input) return seeOther(request, path, { kind: "bad", text: "Choose a role: owner or manager." });
      const asker = managerFor(request).manager;
      const changed = await managers.changeRole(db, asker, params.id, input.role, actorOf(request), now());
      return seeOther(request, path, outcome(changed, `is ${input.role === "owner" ? "an owner" : "a manager"} now`));
    })
    .post("/:id/sign-out", async ({ request, params }) => {
      const asker = managerFor(request).manager;
      const changed = await managers.endSessions(db, asker, params.id, actorOf(request), now());
      return seeOther(request, path, outcome(changed, "is signed out everywhere"));
    })
    .get("/:id/remove", ({ request, params }) => askRemoval(request, params.id))
    .post("/:id/remove", async ({ request, params }) => {
      const asker = managerFor(request).manager;
      const changed = await managers.remove(db, asker, params.id, actorOf(request), now());
      return seeOther(request, path, outcome(changed, "may no longer enter"));
    });
};

/** Who has neither a second step nor a passkey yet, and until when that is all right. */
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

const refusals: Record<managers.Unchanged, string> = {
  yourself: "You cannot do that to yourself. Ask another owner.",
  gone: "That manager was removed already.",
  "not-allowed": "You are no owner any more.",
};

const outcome = (changed: managers.Manager | managers.Unchanged, what: string): Notice =>
  typeof changed === "string"
    ? { kind: changed === "gone" ? "good" : "bad", text: refusals[changed] }
    : { kind: "good", text: `${changed.name || changed.email} ${what}.` };
