import * as managers from "../../../db/access/managers";
import * as sessions from "../../../db/access/sessions";
import { ConfirmPage } from "../../../views/dashboard/access/sign-in";
import type { Deps } from "../deps";
import { page } from "../../http/response";
import { formToken } from "../../security/forgery";
import { isPassword } from "../../security/password";
import { actorOf, dashboardPath, isFresh, managerFor, noSessionCookie } from "../../security/session";
import { startAttempt, busy, recordFailure, tooOften } from "./passwords";
import { typed } from "../form-input";
import { pages } from "../pages";
import { forOwnAccount } from "../permissions";
import { paths } from "../../../views/paths";

/** `/dashboard/sign-out`, and `/dashboard/confirm`, which asks for the password before sensitive pages. */
export const signOut = (deps: Deps) =>
  pages(paths.overview, deps, forOwnAccount)
    .post("/sign-out", async ({ request }) => {
      await managers.signOut(deps.db, managerFor(request), actorOf(request), deps.now());
      const headers = { location: paths.signIn, "set-cookie": noSessionCookie, "cache-control": "no-store" };
      return new Response(null, { status: 303, headers });
    })
    .get("/confirm", ({ request, query }) =>
      isFresh(managerFor(request), deps.now())
        ? new Response(null, { status: 303, headers: { location: dashboardPath(query.next) } })
        : confirmPage(deps, request, query.next),
    )
    .post("/confirm", ({ request, body }) => confirm(deps, request, body));

const confirmPage = ({ config }: Deps, request: Request, next: unknown, problem?: string, status = 200) => {
  const { manager, session } = managerFor(request);
  const token = formToken(config, session);
  return page(<ConfirmPage email={manager.email} token={token} next={dashboardPath(next)} problem={problem} />, status);
};

async function confirm(deps: Deps, request: Request, body: unknown): Promise<Response> {
  const { manager, session } = managerFor(request);
  const next = dashboardPath(typed(body, "next"));
  const again = (problem: string, status: number) => confirmPage(deps, request, next, problem, status);
  const attempt = await startAttempt(deps, request, manager.email);
  if ("wait" in attempt) return tooOften(request, attempt.wait, again);
  const isRight = await isPassword(typed(body, "password"), manager.passwordHash);
  if (isRight !== false) attempt.wasRight();
  if (isRight === undefined) return busy(request, again);
  if (isRight) {
    await sessions.confirm(deps.db, session, deps.now());
    return new Response(null, { status: 303, headers: { location: next } });
  }
  attempt.failed();
  await recordFailure(deps, request, manager, "password");
  return again("Wrong password.", 422);
}
