import { z } from "zod";
import * as ownAccount from "../../../db/access/own-account";
import { dateStyles } from "../../../views/components/time";
import type { Deps } from "../deps";
import { ManagerFields } from "../../fields/manager";
import { actorOf, managerFor } from "../../security/session/session";
import { seeOther } from "../responses";
import { readForm } from "../form-input";
import { pages } from "../pages";
import { endOtherSessions, endSession } from "./devices";
import { path, showAccount, zones } from "./account-page";
import { changePassword } from "./account-password";

const Name = ManagerFields.pick({ name: true });
const Times = z.object({
  timeZone: z.enum(["", ...zones], "That time zone is not known. Choose one from the list."),
  dates: z.enum(dateStyles, "Choose one of the formats."),
});

/** `/dashboard/account`: a manager's own name, password, two-step verification, passkeys and sessions. */
export const account = (deps: Deps) =>
  pages(path, deps, { isForEverybody: true })
    .get("/", ({ request }) => showAccount(deps, request))
    .post("/name", ({ request, body }) => changeName(deps, request, body))
    .post("/times", ({ request, body }) => changeTimes(deps, request, body))
    .post("/password", ({ request, body }) => changePassword(deps, request, body))
    .post("/sessions/:id/end", ({ request, params: { id } }) => endSession(deps, request, id))
    .post("/sessions/end-others", ({ request }) => endOtherSessions(deps, request));

async function changeName(deps: Deps, request: Request, body: unknown) {
  const { input, errors } = readForm(Name, body);
  if (errors) return showAccount(deps, request, errors);
  await ownAccount.rename(
    deps.db,
    { manager: managerFor(request).manager, name: input.name },
    actorOf(request),
    deps.now(),
  );
  return seeOther(request, path, { kind: "good", text: "Name saved." });
}

async function changeTimes(deps: Deps, request: Request, body: unknown) {
  const { input, errors } = readForm(Times, body);
  if (errors) return showAccount(deps, request, errors);
  await ownAccount.setPreferences(
    deps.db,
    { manager: managerFor(request).manager, chosen: input },
    actorOf(request),
    deps.now(),
  );
  return seeOther(request, `${path}#times`, { kind: "good", text: "Dates and times saved." });
}
