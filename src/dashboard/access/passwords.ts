import * as managers from "../../../db/access/managers";
import * as audit from "../../../db/audit";
import { emailKey } from "../../../db/lib/email-key";
import { plural } from "../../../views/components/list";
import { clientNetwork } from "../../platform/client-address";
import { contextOf } from "../../platform/request-context";
import { knownDevice } from "../../security/cookies";
import { limits as limitOf } from "../../security/limits/limits";
import { hashPassword, weakness } from "../../security/password";
import type { Deps } from "../deps";

/** An attempt at a password or code. It counts as a failure unless it turns out to be right. */
type Attempt = { failed(): void; wasRight(): void };

/**
 * Takes one attempt at the account: five failures per client in 15 minutes, ten per account in an hour. If none is
 * left, returns the seconds to wait. A browser that signed in to this account before has ten failures of its own, so
 * that strangers' guesses cannot lock the manager out.
 */
export async function startAttempt(
  { config, limits }: Deps,
  request: Request,
  email: string,
): Promise<Attempt | { wait: number }> {
  const context = contextOf(request);
  const device = knownDevice(config, email, request);
  const client = await limits.attempt(limitOf.signIn, clientNetwork(context.address));
  if (!client.verdict.admitted) return { wait: client.verdict.resetSeconds };
  const account = await limits.attempt(limitOf.account, `${emailKey(email)} ${device ?? ""}`);
  if (!account.verdict.admitted) {
    await client.forgive();
    return { wait: account.verdict.resetSeconds };
  }
  return {
    failed() {
      context.awaitBeforeResponse(client.keep());
      context.awaitBeforeResponse(account.keep());
    },
    wasRight() {
      context.awaitBeforeResponse(client.forgive());
      context.awaitBeforeResponse(account.forgive());
    },
  };
}

/** "in 40 seconds", "in 12 minutes" */
const inWords = (seconds: number) =>
  `in ${seconds < 90 ? plural(seconds, "second") : plural(Math.ceil(seconds / 60), "minute")}`;

/** Shows the form again, with the problem. */
export type Again = (problem: string, status: number) => Response | Promise<Response>;

export function tooOften(request: Request, wait: number, again: Again) {
  contextOf(request).headers["retry-after"] = String(wait);
  return again(`Too many failed attempts. Try again ${inWords(wait)}.`, 429);
}

export function busy(request: Request, again: Again) {
  contextOf(request).headers["retry-after"] = "2";
  return again("The server is busy. Try again in a few seconds.", 503);
}

/** The address is recorded only if it belongs to a manager: otherwise it may be a password in the wrong field. */
export const recordFailure = (
  { db, now }: Deps,
  request: Request,
  manager: managers.Manager | undefined,
  method: "password" | "two-step code" | "passkey",
  details: Record<string, string> = {},
) =>
  audit.recordAlone(
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

type NewPassword = { hash: string } | { weak: string } | "busy";

/**
 * Hashes a chosen password. Returns why it is not acceptable (too short, too common, too similar to `personalWords` or to the
 * site's name), or "busy" if too many are waiting to be hashed.
 */
export async function newPassword(
  { config }: Pick<Deps, "config">,
  password: string,
  personalWords: string[],
): Promise<NewPassword> {
  const weak = weakness(password, [...personalWords, "postroom", new URL(config.BASE_URL).hostname]);
  if (weak) return { weak };
  const hash = await hashPassword(password);
  return hash === undefined ? "busy" : { hash };
}
