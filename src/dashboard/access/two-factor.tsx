import { z } from "zod";
import * as secondStep from "../../../db/access/two-factor";
import type { Notice } from "../../../views/components/frame";
import { RecoveryCodesPage, SecondStepSetUp } from "../../../views/dashboard/access/two-factor";
import type { Deps } from "../../boot/deps";
import { decryptIfOurs, encrypt, sha256 } from "../../security/secrets";
import { actorOf, managerFor, requireFresh } from "../../security/session";
import { newRecoveryCodes, newSecret, otpauthUrl, plainRecoveryCode, stepOf } from "../../security/totp";
import { seeOther, show } from "../responses";
import { frameOf, pages } from "../pages";
import { paths } from "../../../views/paths";

const account = paths.account;

const TurnOn = z.object({ draft: z.string().max(500), code: z.string().max(20) });

/** `/dashboard/account/second-step`: codes of an authenticator, and recovery codes for the day it is lost. */
export const secondStepDesk = (deps: Deps) => {
  const { config, db, now } = deps;
  const purpose = (id: string) => `totp-draft/v1/${id}`;

  /** The secret travels with the form, sealed for this manager, until a code proves that the authenticator has it. */
  async function offer(request: Request, secret = newSecret(), problem?: string) {
    const { manager } = managerFor(request);
    const frame = await frameOf(deps, request);
    const draft = encrypt(config.APP_SECRET, purpose(manager.id), secret);
    const url = otpauthUrl(secret, manager.email);
    const status = problem ? 422 : 200;
    const content = <SecondStepSetUp frame={frame} secret={secret} url={url} draft={draft} problem={problem} />;
    return show({ frame, title: "Second step", status }, content);
  }

  async function turnOn(request: Request, body: unknown) {
    const { manager } = managerFor(request);
    const { data: given } = TurnOn.safeParse(body);
    const secret = given && decryptIfOurs(config.APP_SECRET, purpose(manager.id), given.draft);
    if (!given || !secret) return offer(request, undefined, "That took too long. Start again with this new secret.");
    const step = stepOf(secret, given.code, now());
    if (step === undefined)
      return offer(request, secret, "That is not the code of now. Look again, and check the clock.");
    const codes = newRecoveryCodes();
    const sealedSecret = encrypt(config.APP_SECRET, "totp/v1", secret);
    await secondStep.turnOn(db, manager, { sealedSecret, step, codeHashes: hashes(codes) }, actorOf(request), now());
    return reveal(request, codes);
  }

  async function reveal(request: Request, codes: string[]) {
    const frame = await frameOf(deps, request);
    return show({ frame, title: "Recovery codes" }, <RecoveryCodesPage codes={codes} />);
  }

  return pages(paths.twoFactor, deps, { isForEverybody: true })
    .get("/", ({ request }) => requireFresh(request, now()) ?? offer(request))
    .post("/", ({ request, body }) => requireFresh(request, now()) ?? turnOn(request, body))
    .post("/off", async ({ request }) => {
      const stale = requireFresh(request, now());
      if (stale) return stale;
      const isOff = await secondStep.turnOff(db, managerFor(request).manager, actorOf(request), now());
      return seeOther(request, account, isOff ? { kind: "good", text: "The second step is off." } : neededNotice);
    })
    .post("/codes", async ({ request }) => {
      const stale = requireFresh(request, now());
      if (stale) return stale;
      const { manager } = managerFor(request);
      if (!manager.totpSecret)
        return seeOther(request, account, { kind: "bad", text: "Turn the second step on first." });
      const codes = newRecoveryCodes();
      await secondStep.replaceCodes(db, manager, hashes(codes), actorOf(request), now());
      return reveal(request, codes);
    });
};

/** Why the last thing that fulfils the rule cannot be taken away. */
export const neededNotice: Notice = {
  kind: "bad",
  text: "Owners require two-step verification or a passkey here. Set up the other one before you remove this one.",
};

const hashes = (codes: string[]) => codes.map((code) => sha256(plainRecoveryCode(code)));
