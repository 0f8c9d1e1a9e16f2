import type { MailProvider, Unsuppressed } from "./provider";

const perRequest = 100;

const texts: Record<Unsuppressed, string> = {
  removed: "",
  "not-allowed":
    "Resend may still refuse the address: this API key is only allowed to send. Remove the address from the suppressions in Resend’s dashboard.",
  failed:
    "Resend may still refuse the address: it could not be asked to remove it. Remove it from the suppressions in Resend’s dashboard.",
};

/** Removes addresses from the provider's own suppression list. Returns what is left to do by hand, as a sentence. */
export async function unsuppress(provider: MailProvider, addresses: string[]) {
  let result: Unsuppressed = "removed";
  for (let at = 0; provider.unsuppress && at < addresses.length && result === "removed"; at += perRequest)
    result = await provider.unsuppress(addresses.slice(at, at + perRequest));
  return { isDone: result === "removed", text: texts[result] };
}
