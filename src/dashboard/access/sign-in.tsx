import { z } from "zod";
import * as managers from "../../../db/access/managers";
import * as secondStep from "../../../db/access/two-factor";
import { NobodyYetPage, SecondStepPage, SignInPage } from "../../../views/dashboard/access/sign-in";
import { inputsOf } from "../../fields/field";
import { keptPages } from "../../http/prepared";
import { page } from "../../http/response";
import { isPassword } from "../../security/password";
import { decryptIfOurs, randomToken, sha256 } from "../../security/secrets";
import { dashboardPath, managerOf, newDevice } from "../../security/session";
import { plainRecoveryCode, stepOf } from "../../security/totp";
import type { Deps } from "../deps";
import { typed } from "../form-input";
import { type Again, startAttempt, busy, recordFailure, tooOften } from "./passwords";
import { completeSignIn, signedOutPages } from "./signed-out-pages";

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
      return emptyForms(request, next, 200, () => <SignInPage next={next} hasEnded={query.ended === "yes"} />);
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
  const { data: credentials } = Credentials.safeParse(body);
  if (!credentials?.password || !credentials.email.trim()) return again("Enter your email address and password.", 422);

  const attempt = await startAttempt(deps, request, credentials.email);
  if ("wait" in attempt) return tooOften(request, attempt.wait, again);
  const manager = await managers.byEmail(deps.db, credentials.email);
  const isRight = await isPassword(credentials.password, manager?.passwordHash);
  if (isRight === undefined) {
    attempt.wasRight();
    return busy(request, again);
  }
  if (isRight && manager) {
    attempt.wasRight();
    if (manager.totpSecret) return askSecondStep(deps, manager, next);
    const { token, device } = newDevice(deps.config, request, manager.email);
    const present = await managers.signIn(deps.db, manager, device, deps.now());
    if (present === "passkey") return askPasskey(deps, request, manager, again);
    if (present) return completeSignIn(deps, request, { token, email: manager.email }, next);
  }
  attempt.failed();
  await recordFailure(deps, request, manager, "password");
  return again("Wrong email address or password.", 422);
}

/** The password was right, but is not enough for someone who has a passkey. */
async function askPasskey(deps: Deps, request: Request, manager: managers.Manager, again: Again): Promise<Response> {
  await recordFailure(deps, request, manager, "password", { because: "a passkey is required" });
  return again("A password alone is not enough here. Sign in with your passkey.", 403);
}

const tenMinutes = 600_000;

const Code = z.object({ step: z.string().max(100), code: z.string().max(100), next: z.string().optional() });

const { code: codeInput } = inputsOf(Code);

async function askSecondStep({ db, now }: Deps, manager: managers.Manager, next: string): Promise<Response> {
  const step = randomToken();
  const expiresAt = new Date(now().getTime() + tenMinutes);
  await secondStep.startSecondStep(db, { hash: sha256(step), managerId: manager.id, expiresAt }, now());
  return page(<SecondStepPage input={codeInput} next={next} step={step} />);
}

async function checkCode(deps: Deps, request: Request, body: unknown): Promise<Response> {
  const { db, now } = deps;
  const next = dashboardPath(typed(body, "next"));
  const startAgain = (problem: string, status = 422) => page(<SignInPage next={next} problem={problem} />, status);
  const { data: answer } = Code.safeParse(body);
  const manager = answer && (await secondStep.awaitingSecondStep(db, sha256(answer.step), now()));
  if (!answer || !manager?.totpSecret) return startAgain("Your sign-in has expired. Sign in again.");

  const again = (problem: string, status: number) =>
    page(<SecondStepPage input={codeInput} next={next} step={answer.step} problem={problem} />, status);
  const attempt = await startAttempt(deps, request, manager.email);
  if ("wait" in attempt) return tooOften(request, attempt.wait, again);
  const { token, device } = newDevice(deps.config, request, manager.email);
  const proof = proofOf(deps, manager.totpSecret, answer.code);
  if (await secondStep.signIn(db, { hash: sha256(answer.step), manager, proof }, device, now())) {
    attempt.wasRight();
    return completeSignIn(deps, request, { token, email: manager.email }, next);
  }
  attempt.failed();
  await recordFailure(deps, request, manager, "two-step code");
  return again("That code is wrong or has already been used. Enter the current code.", 422);
}

/**
 * Checks six digits of the authenticator app, or a recovery code. After a change of APP_SECRET only recovery codes
 * work.
 */
function proofOf({ config, now }: Deps, sealed: string, code: string): secondStep.Proof {
  const secret = decryptIfOurs(config.APP_SECRET, "totp/v1", sealed);
  const step = secret && stepOf(secret, code, now());
  return !step ? { codeHash: sha256(plainRecoveryCode(code)) } : { step };
}
