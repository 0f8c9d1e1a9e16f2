import { z } from "zod";
import * as audit from "../../../db/audit";
import * as managers from "../../../db/access/managers";
import * as twoFactor from "../../../db/access/two-factor";
import * as sessions from "../../../db/access/sessions";
import { ConfirmPage, NobodyYetPage, SecondStepPage, SignInPage } from "../../../views/dashboard/access/sign-in";
import type { Deps } from "../../boot/deps";
import { page } from "../../http/response";
import { formToken } from "../../security/form-token";
import { isPassword } from "../../security/password";
import { decryptIfOurs, randomToken, sha256 } from "../../security/secrets";
import {
  actorOf,
  dashboardPath,
  isFresh,
  managerFor,
  managerOf,
  newDevice,
  noSessionCookie,
} from "../../security/session";
import { plainRecoveryCode, stepOf } from "../../security/totp";
import { contextOf } from "../../http/request-context";
import { attempt, inWords } from "./attempts";
import { letIn, signedOutPages } from "./signed-out-pages";
import { typed } from "../form-input";
import { pages } from "../pages";
import { paths } from "../../../views/paths";

const tenMinutes = 600_000;

const Credentials = z.object({
  email: z.string().max(300),
  password: z.string().max(2_000),
  next: z.string().optional(),
});
const Code = z.object({ step: z.string().max(100), code: z.string().max(100), next: z.string().optional() });

/** `/dashboard/sign-in`: e-mail and password, then the second step where there is one (D35). */
export const signIn = (deps: Deps) =>
  signedOutPages(deps)
    .get("/sign-in", async ({ request, query }) => {
      const next = dashboardPath(query.next);
      if (await managerOf(deps, request)) return new Response(null, { status: 303, headers: { location: next } });
      if (!(await managers.hasAny(deps.db))) return page(<NobodyYetPage />);
      return page(<SignInPage next={next} />);
    })
    .post("/sign-in", ({ request, body }) => checkPassword(deps, request, body))
    .post("/sign-in/code", ({ request, body }) => checkCode(deps, request, body));

/** `/dashboard/sign-out`, and `/dashboard/confirm` for the password again before sensitive pages. */
export const signOut = (deps: Deps) =>
  pages(paths.overview, deps, { isForEverybody: true })
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
  const tried = attempt(deps, request, manager.email);
  if ("wait" in tried) return tooOften(request, tried.wait, again);
  const isRight = await isPassword(typed(body, "password"), manager.passwordHash);
  if (isRight !== false) tried.wasRight();
  if (isRight === undefined) return busy(request, again);
  if (isRight) {
    await sessions.confirm(deps.db, session, deps.now());
    return new Response(null, { status: 303, headers: { location: next } });
  }
  tried.failed();
  await noteFailure(deps, request, manager, "password");
  return again("That is not your password.", 422);
}

async function checkPassword(deps: Deps, request: Request, body: unknown): Promise<Response> {
  const next = dashboardPath(typed(body, "next"));
  const email = typed(body, "email");
  const again = (problem: string, status: number) =>
    page(<SignInPage next={next} email={email} problem={problem} />, status);
  const { data: given } = Credentials.safeParse(body);
  if (!given?.password || !given.email.trim()) return again("Type your e-mail address and your password.", 422);

  const tried = attempt(deps, request, given.email);
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
    if (present) return letIn(deps, request, { token, email: manager.email }, next);
  }
  tried.failed();
  await noteFailure(deps, request, manager, "password");
  return again("The e-mail address or the password is not right.", 422);
}

/** The password was right, and is not enough for somebody who has a passkey (P76). */
async function askPasskey(deps: Deps, request: Request, manager: managers.Manager, again: Again): Promise<Response> {
  await noteFailure(deps, request, manager, "password", { because: "a passkey is required" });
  return again("A password alone is not enough here. Sign in with your passkey.", 403);
}

async function askSecondStep({ db, now }: Deps, manager: managers.Manager, next: string): Promise<Response> {
  const step = randomToken();
  const expiresAt = new Date(now().getTime() + tenMinutes);
  await twoFactor.startSecondStep(db, { hash: sha256(step), managerId: manager.id, expiresAt }, now());
  return page(<SecondStepPage next={next} step={step} />);
}

async function checkCode(deps: Deps, request: Request, body: unknown): Promise<Response> {
  const { db, now } = deps;
  const next = dashboardPath(typed(body, "next"));
  const startAgain = (problem: string, status = 422) => page(<SignInPage next={next} problem={problem} />, status);
  const { data: given } = Code.safeParse(body);
  const manager = given && (await twoFactor.awaitingSecondStep(db, sha256(given.step), now()));
  if (!given || !manager?.totpSecret) return startAgain("That took too long. Sign in again.");

  const again = (problem: string, status: number) =>
    page(<SecondStepPage next={next} step={given.step} problem={problem} />, status);
  const tried = attempt(deps, request, manager.email);
  if ("wait" in tried) return tooOften(request, tried.wait, again);
  const { token, device } = newDevice(deps.config, request, manager.email);
  const proof = proofOf(deps, manager.totpSecret, given.code);
  if (await twoFactor.signIn(db, sha256(given.step), manager, proof, device, now())) {
    tried.wasRight();
    return letIn(deps, request, { token, email: manager.email }, next);
  }
  tried.failed();
  await noteFailure(deps, request, manager, "second step");
  return again("That code is not right, or was used before. Each code works once.", 422);
}

/** Six digits of the authenticator, or a recovery code. After a change of APP_SECRET only recovery codes are left. */
function proofOf({ config, now }: Deps, sealed: string, code: string): twoFactor.Proof {
  const secret = decryptIfOurs(config.APP_SECRET, "totp/v1", sealed);
  const step = secret && stepOf(secret, code, now());
  return !step ? { codeHash: sha256(plainRecoveryCode(code)) } : { step };
}

type Again = (problem: string, status: number) => Response;

function tooOften(request: Request, wait: number, again: Again) {
  contextOf(request).headers["retry-after"] = String(wait);
  return again(`There were too many wrong attempts. Try again ${inWords(wait)}.`, 429);
}

function busy(request: Request, again: Again) {
  contextOf(request).headers["retry-after"] = "2";
  return again("Many people are signing in at this moment. Try again in a few seconds.", 503);
}

/** What was typed as an address is kept only when it is a manager's: it may be a password in the wrong field. */
const noteFailure = (
  { db, now }: Deps,
  request: Request,
  manager: managers.Manager | undefined,
  method: "password" | "second step" | "passkey",
  details: Record<string, string> = {},
) =>
  audit.note(
    db,
    {
      actor: "visitor",
      address: contextOf(request).address,
      action: "session.refuse",
      targetId: manager?.id,
      target: manager?.email,
      details: { method, ...details },
    },
    now(),
  );
