import { type Scope, scopes, scopesOfBefore } from "../../db/schema/scopes";
import type { Config } from "../platform/config";
import { networkOf, overlap } from "../platform/networks";
import type { UploadLimits } from "../../db/schema/access";
import { line } from "../platform/text/schemas";
import { FolderPath, maxFileBytes } from "../storage/uploads/file-input";
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

export const keyTypes = field(line({ max: 1_000 }), {
  label: "Types of uploads (optional)",
  hint: "Such as image/*, application/pdf. Leave it empty to allow all.",
});
export const keyFolder = field(line({ max: 1_024 }), {
  label: "Folder for uploads (optional)",
  hint: "Uploads go into this folder or those inside it. Leave it empty to allow all.",
});

const maxTypes = 20;
const typeName = "[a-z0-9][a-z0-9!#$&^_.+-]{0,126}";
const typePattern = new RegExp(`^${typeName}/(?:\\*|${typeName})$`);
const typesProblem = `Enter at most ${maxTypes} types such as image/* or application/pdf, separated by commas.`;

type UploadRules = { maxBytes: string; types: string; folder: string };

/** Returns what a key may upload, null if it is not limited; or what is wrong, as a sentence about a field. */
export function readUploadLimits({
  maxBytes,
  types,
  folder,
}: UploadRules): { uploadLimits: UploadLimits | null } | { field: keyof UploadRules; problem: string } {
  const size = Number(maxBytes);
  if (maxBytes && !(/^\d{1,15}$/.test(maxBytes) && size > 0 && size <= maxFileBytes))
    return { field: "maxBytes", problem: `The size must be a whole number from 1 to ${maxFileBytes}.` };
  const mimeTypes = [
    ...new Set(
      types
        .toLowerCase()
        .split(/[\s,]+/)
        .filter(Boolean),
    ),
  ];
  if (mimeTypes.length > maxTypes || !mimeTypes.every((type) => typePattern.test(type)))
    return { field: "types", problem: typesProblem };
  const path = FolderPath.safeParse(folder);
  if (!path.success) return { field: "folder", problem: `The folder ${path.error.issues[0]?.message}.` };
  const limits = {
    ...(maxBytes && { maxBytes: size }),
    ...(mimeTypes.length && { mimeTypes }),
    ...(path.data && { folder: path.data }),
  };
  return { uploadLimits: Object.keys(limits).length ? limits : null };
}
