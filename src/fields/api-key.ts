import { type Scope, scopes, scopesOfBefore } from "../../db/schema/scopes";
import type { Config } from "../platform/config";
import { networkOf, overlap } from "../platform/networks";
import { line } from "../platform/text/schemas";
import { field } from "./field";

/* What a key is limited to, as the dashboard and the command line read it. */

export const keyName = field(line({ min: 1, max: 60 }), {
  label: "Name",
  hint: "Where the key will be used, for example “Blog (production)”.",
});

export const keyNetworks = field(line({ max: 1_000 }), { label: "Networks (optional)" });

/** Returns the scopes with these names, in their order; the problem, as a sentence, if there is one. */
export function readScopes(names: readonly string[]): { scopes: Scope[] | null } | { problem: string } {
  const unknown = names.filter((name) => !scopes.some((scope) => scope === name));
  const chosen = scopes.filter((scope) => names.includes(scope));
  if (unknown.length || !chosen.length) return { problem: `Choose at least one of ${scopes.join(", ")}.` };
  const isAsBefore = chosen.join() === scopesOfBefore.join();
  return { scopes: isAsBefore ? null : chosen };
}

const maxNetworks = 20;
export const noNetwork = "Enter networks such as 203.0.113.0/24 or 2001:db8::/48, separated by commas.";

/** Returns the networks in a list with commas or white space; null if it is empty, and the problem if there is one. */
export function readNetworks(
  text: string,
  { TRUSTED_PROXIES }: Pick<Config, "TRUSTED_PROXIES">,
): { networks: string[] | null } | { problem: string } {
  const networks = [...new Set(text.split(/[\s,]+/).filter(Boolean))];
  if (networks.length > maxNetworks) return { problem: `Enter at most ${maxNetworks} networks.` };
  const parsed = networks.map(networkOf);
  if (parsed.includes(undefined)) return { problem: noNetwork };
  if (parsed.some((network) => network && TRUSTED_PROXIES.some((proxy) => overlap(network, proxy))))
    return { problem: "These networks include a trusted proxy. Enter those of the servers that use the key." };
  return { networks: networks.length ? networks : null };
}
