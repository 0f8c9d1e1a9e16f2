import { encode } from "uqr";
import { z } from "zod";
import * as passkeys from "../../../db/access/passkeys";
import * as twoFactor from "../../../db/access/two-factor";
import type { Notice } from "../../../views/components/frame";
import {
  RecoveryCodesPage,
  ReplaceCodes,
  SecondStepSetUp,
  TurnOffSecondStep,
} from "../../../views/dashboard/access/two-factor";
import { inputsOf } from "../../fields/field";
import type { Deps } from "../deps";
import { contextOf } from "../../platform/request-context";
import { issueOnce } from "../../security/forgery";
import { decryptIfOurs, encrypt, sha256 } from "../../security/secrets";
import { actorOf, managerFor, requireFresh } from "../../security/session";
import { newRecoveryCodes, newSecret, otpauthUrl, plainRecoveryCode, stepOf } from "../../security/totp";
import { seeOther, show, showDialog } from "../responses";
import { frameOf, pages } from "../pages";
import { forOwnAccount } from "../permissions";
import { paths } from "../../../views/paths";

const account = paths.account;

const TurnOn = z.object({ draft: z.string().max(500), code: z.string().max(20) });
const { code: codeInput } = inputsOf(TurnOn);

/** `/dashboard/account/second-step`: two-step verification with an authenticator app, and recovery codes. */
export const twoFactorDashboard = (deps: Deps) =>
  pages(paths.twoFactor, deps, forOwnAccount)
    .onBeforeHandle(({ request }) => requireFresh(request, deps.now()))
    .get("/", ({ request }) => showSetUp(deps, request))
    .post("/", ({ request, body }) => turnOn(deps, request, body))
    .get("/off", ({ request }) => askToTurnOff(deps, request))
    .post("/off", ({ request }) => turnOff(deps, request))
    .get("/codes", ({ request }) => askForCodes(deps, request))
    .post("/codes", ({ request }) => replaceCodes(deps, request));

const quietZone = 4; // modules of margin, which scanners need around the code

const draftPurpose = (id: string) => `totp-draft/v1/${id}`;

/** A secret, and the token with which its form is used once. */
type Draft = { secret: string; once: string };

async function newDraft(deps: Deps, request: Request): Promise<Draft> {
  const once = contextOf(request).isHead ? "" : await issueOnce(deps, managerFor(request).session);
  return { secret: newSecret(), once };
}

/** The secret is sent with the form, encrypted for this manager, until a code proves that the app has it. */
async function showSetUp(deps: Deps, request: Request, current?: Draft, problem?: string) {
  const { manager } = managerFor(request);
  const frame = await frameOf(deps, request);
  const { secret, once } = current ?? (await newDraft(deps, request));
  const draft = encrypt(deps.config.APP_SECRET, draftPurpose(manager.id), `${secret} ${once}`);
  const url = otpauthUrl(secret, manager.email, frame.siteTitle);
  const status = problem ? 422 : 200;
  const modules = encode(url, { ecc: "M", border: quietZone }).data;
  const content = (
    <SecondStepSetUp
      input={codeInput}
      frame={frame}
      secret={secret}
      url={url}
      modules={modules}
      draft={draft}
      problem={problem}
    />
  );
  return show({ frame, title: "Set up two-step verification", status }, content);
}

async function turnOn(deps: Deps, request: Request, body: unknown) {
  const { config, db, now } = deps;
  const { manager, session } = managerFor(request);
  const { data: input } = TurnOn.safeParse(body);
  const draft = input && decryptIfOurs(config.APP_SECRET, draftPurpose(manager.id), input.draft);
  if (!input || !draft) return showSetUp(deps, request, undefined, timedOut);
  const [secret = "", once = ""] = draft.split(" ");
  const step = stepOf(secret, input.code, now());
  if (step === undefined)
    return showSetUp(
      deps,
      request,
      { secret, once },
      "That code is not valid. Enter the current code, and check your phone’s clock.",
    );
  const codes = newRecoveryCodes();
  const sealedSecret = encrypt(config.APP_SECRET, "totp/v1", secret);
  const form = { hash: sha256(once), sessionId: session.id };
  const second = { sealedSecret, step, codeHashes: hashes(codes), form };
  const isOn = await twoFactor.turnOn(db, { manager, second }, actorOf(request), now());
  return isOn ? showCodes(deps, request, codes) : showSetUp(deps, request, undefined, timedOut);
}

const timedOut = "Setup timed out. Start again with this new secret.";

async function askToTurnOff(deps: Deps, request: Request) {
  const { manager } = managerFor(request);
  if (!manager.totpSecret) return seeOther(request, account, alreadyOff);
  const [frame, keys] = await Promise.all([frameOf(deps, request), passkeys.list(deps.db, manager.id)]);
  const children = <TurnOffSecondStep frame={frame} passkeys={keys.length} />;
  return showDialog(request, { frame, title: "Turn off two-step verification?", children });
}

const alreadyOff: Notice = { kind: "good", text: "Two-step verification is already off." };

async function turnOff({ db, now }: Deps, request: Request) {
  const isOff = await twoFactor.turnOff(db, managerFor(request).manager, actorOf(request), now());
  return seeOther(request, account, isOff ? { kind: "good", text: "Two-step verification turned off." } : neededNotice);
}

async function askForCodes(deps: Deps, request: Request) {
  const { manager } = managerFor(request);
  if (!manager.totpSecret) return seeOther(request, account, notOn);
  const [frame, left] = await Promise.all([frameOf(deps, request), twoFactor.codesLeft(deps.db, manager.id)]);
  const children = <ReplaceCodes frame={frame} left={left} />;
  return showDialog(request, { frame, title: "Make new recovery codes?", children });
}

const notOn: Notice = { kind: "bad", text: "Turn on two-step verification first." };

async function replaceCodes(deps: Deps, request: Request) {
  const { manager } = managerFor(request);
  if (!manager.totpSecret) return seeOther(request, account, notOn);
  const codes = newRecoveryCodes();
  await twoFactor.replaceCodes(deps.db, { manager, codeHashes: hashes(codes) }, actorOf(request), deps.now());
  return showCodes(deps, request, codes);
}

async function showCodes(deps: Deps, request: Request, codes: string[]) {
  const frame = await frameOf(deps, request);
  return show({ frame, title: "Recovery codes" }, <RecoveryCodesPage codes={codes} />);
}

/** Why the last factor cannot be removed while the rule is on. */
export const neededNotice: Notice = {
  kind: "bad",
  text: "Owners require two-step verification or a passkey here. Set up the other one before you remove this one.",
};

const hashes = (codes: string[]) => codes.map((code) => sha256(plainRecoveryCode(code)));
