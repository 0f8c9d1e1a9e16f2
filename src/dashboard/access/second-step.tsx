import { z } from "zod";
import * as managers from "../../../db/access/managers";
import * as secondStep from "../../../db/access/two-factor";
import { SecondStepPage, SignInPage } from "../../../views/dashboard/access/sign-in";
import { inputsOf } from "../../fields/field";
import type { Deps } from "../deps";
import { page } from "../../http/response";
import { decryptIfOurs, randomToken, sha256 } from "../../security/secrets";
import { dashboardPath } from "../../security/session/rules";
import { newDevice } from "../../security/cookies";
import { plainRecoveryCode, stepOf } from "../../security/totp";
import { typed } from "../form-input";
import { attempt } from "./attempts";
import { completeSignIn } from "./signed-out-pages";
import { noteFailure, tooOften } from "./sign-in-refusals";

const tenMinutes = 600_000;

const Code = z.object({ step: z.string().max(100), code: z.string().max(100), next: z.string().optional() });

const { code: codeInput } = inputsOf(Code);

export async function askSecondStep({ db, now }: Deps, manager: managers.Manager, next: string): Promise<Response> {
  const step = randomToken();
  const expiresAt = new Date(now().getTime() + tenMinutes);
  await secondStep.startSecondStep(db, { hash: sha256(step), managerId: manager.id, expiresAt }, now());
  return page(<SecondStepPage input={codeInput} next={next} step={step} />);
}

export async function checkCode(deps: Deps, request: Request, body: unknown): Promise<Response> {
  const { db, now } = deps;
  const next = dashboardPath(typed(body, "next"));
  const startAgain = (problem: string, status = 422) => page(<SignInPage next={next} problem={problem} />, status);
  const { data: given } = Code.safeParse(body);
  const manager = given && (await secondStep.awaitingSecondStep(db, sha256(given.step), now()));
  if (!given || !manager?.totpSecret) return startAgain("Your sign-in has expired. Sign in again.");

  const again = (problem: string, status: number) =>
    page(<SecondStepPage input={codeInput} next={next} step={given.step} problem={problem} />, status);
  const tried = await attempt(deps, request, manager.email);
  if ("wait" in tried) return tooOften(request, tried.wait, again);
  const { token, device } = newDevice(deps.config, request, manager.email);
  const proof = proofOf(deps, manager.totpSecret, given.code);
  if (await secondStep.signIn(db, { hash: sha256(given.step), manager, proof }, device, now())) {
    tried.wasRight();
    return completeSignIn(deps, request, { token, email: manager.email }, next);
  }
  tried.failed();
  await noteFailure(deps, request, manager, "two-step code");
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
