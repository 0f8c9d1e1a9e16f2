import { z } from "zod";
import * as managers from "../../../db/access/managers";
import { NobodyYetPage, SignInPage } from "../../../views/dashboard/access/sign-in";
import type { Deps } from "../deps";
import { keptPages } from "../../http/prepared";
import { page } from "../../http/response";
import { isPassword } from "../../security/password/password";
import { dashboardPath } from "../../security/session/rules";
import { managerOf } from "../../security/session/session";
import { newDevice } from "../../security/cookies";
import { typed } from "../form-input";
import { attempt } from "./attempts";
import { completeSignIn, signedOutPages } from "./signed-out-pages";
import { type Again, busy, noteFailure, tooOften } from "./sign-in-refusals";
import { askSecondStep, checkCode } from "./second-step";

const Credentials = z.object({
  email: z.string().max(300),
  password: z.string().max(2_000),
  next: z.string().optional(),
});

/** `/dashboard/sign-in`: email address and password, then two-step verification if it is on (D35). */
export function signIn(deps: Deps) {
  return signedOutPages(deps)
    .get("/sign-in", async ({ request, query }) => {
      const next = dashboardPath(query.next);
      if (await managerOf(deps, request)) return new Response(null, { status: 303, headers: { location: next } });
      if (!(await managers.hasAny(deps.db))) return page(<NobodyYetPage />);
      return emptyForms(request, next, 200, () => <SignInPage next={next} />);
    })
    .post("/sign-in", ({ request, body }) => checkPassword(deps, request, body))
    .post("/sign-in/code", ({ request, body }) => checkCode(deps, request, body));
}

/** The page without anything typed in. */
const emptyForms = keptPages();

async function checkPassword(deps: Deps, request: Request, body: unknown): Promise<Response> {
  const next = dashboardPath(typed(body, "next"));
  const email = typed(body, "email");
  const again = (problem: string, status: number) =>
    page(<SignInPage next={next} email={email} problem={problem} />, status);
  const { data: given } = Credentials.safeParse(body);
  if (!given?.password || !given.email.trim()) return again("Enter your email address and password.", 422);

  const tried = await attempt(deps, request, given.email);
  if ("wait" in tried) return tooOften(request, tried.wait, again);
  const manager = await managers.byEmail(deps.db, given.email);
  const isRight = await isPassword(given.password, manager?.passwordHash);
  if (isRight === undefined) {
    tried.wasRight();
    return busy(request, again);
  }
  if (isRight && manager) {
    tried.wasRight();
    if (manager.totpSecret) return askSecondStep(deps, manager, next);
    const { token, device } = newDevice(deps.config, request, manager.email);
    const present = await managers.signIn(deps.db, manager, device, deps.now());
    if (present === "passkey") return askPasskey(deps, request, manager, again);
    if (present) return completeSignIn(deps, request, { token, email: manager.email }, next);
  }
  tried.failed();
  await noteFailure(deps, request, manager, "password");
  return again("Wrong email address or password.", 422);
}

/** The password was right, but is not enough for someone who has a passkey. */
async function askPasskey(deps: Deps, request: Request, manager: managers.Manager, again: Again): Promise<Response> {
  await noteFailure(deps, request, manager, "password", { because: "a passkey is required" });
  return again("A password alone is not enough here. Sign in with your passkey.", 403);
}
