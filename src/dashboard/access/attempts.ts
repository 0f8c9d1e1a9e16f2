import { emailKey } from "../../../db/lib/email-key";
import { plural } from "../../../views/components/list";
import type { Deps } from "../deps";
import { clientNetwork } from "../../platform/client-address";
import { knownDevice } from "../../security/cookies";
import { limits as limitOf } from "../../security/limits/limits";
import { contextOf } from "../../platform/request-context";

/** An attempt at a password or code. It counts as a failure unless it turns out to be right. */
type Attempt = { failed(): void; wasRight(): void };

/**
 * Takes one attempt at the account: five failures per client in 15 minutes, ten per account in an hour. If none is
 * left, returns the seconds to wait. A browser that signed in to this account before has ten failures of its own, so
 * that strangers' guesses cannot lock the manager out.
 */
export async function attempt(
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
export const inWords = (seconds: number) =>
  `in ${seconds < 90 ? plural(seconds, "second") : plural(Math.ceil(seconds / 60), "minute")}`;
