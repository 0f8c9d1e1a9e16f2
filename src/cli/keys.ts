import * as apiKeys from "../../db/access/keys/api-keys";
import { isAccepted } from "../../db/access/keys/api-keys";
import { replaceKey } from "../../db/access/keys/expiry";
import { scopes } from "../../db/schema/scopes";
import { keyName, noNetwork, readNetworks, readScopes, readUploadLimits } from "../fields/api-key";
import type { Config } from "../platform/config";
import { actor, type Command, type Flags, print, withData } from "./command";
import { dayMs } from "../../db/lib/time";

const text = { type: "string" } as const;
const replacedForDays = 30;

export const commands: Command[] = [
  {
    usage:
      "keys create <name> [--scopes=a,b] [--expires=DATE] [--networks=CIDR,…] [--max-bytes=N] [--types=image/*,…] [--folder=PATH]",
    about: `Generate an API key and print it (shown only once). Without --scopes it can read content, settings and files, and upload. Scopes: ${scopes.join(", ")}. DATE is a day, which the key still works on (UTC), or a time such as 2026-12-24T09:00:00Z. The last three limit its uploads`,
    options: { scopes: text, expires: text, networks: text, "max-bytes": text, types: text, folder: text },
    run: ([name = ""], flags) =>
      withData(async ({ config, db, now }) => {
        const named = keyName.safeParse(name);
        if (!named.success) throw new Error(`The name ${named.error.issues[0]?.message}`);
        const wanted = { prefix: config.KEY_PREFIX, name: named.data, ...limitsIn(flags, config, now) };
        const made = await apiKeys.generateFor(db, { actor }, wanted, now);
        if (!made) throw new Error("An active key has that name already. Choose another one.");
        print(made.key);
      }),
  },
  {
    usage: "keys list",
    about:
      "List API keys (id, name, last characters, status, created, last used, scopes, networks, expires, uploads; – is not limited)",
    run: () =>
      withData(async ({ db, now }) => {
        for (const key of await apiKeys.list(db)) {
          const { id, name, prefix, lastFour, createdAt, lastUsedAt } = key;
          print(
            id,
            name,
            `${prefix}…${lastFour}`,
            isAccepted(key, now) ? "active" : "inactive",
            createdAt.toISOString(),
            lastUsedAt?.toISOString() ?? "never",
            key.scopes?.join(",") ?? "–",
            key.networks?.join(",") ?? "–",
            key.expiresAt?.toISOString() ?? "–",
            key.uploadLimits ? Object.values(key.uploadLimits).join(" ") : "–",
          );
        }
      }),
  },
  {
    usage: "keys replace <id> [--until=DATE] [--even-if-unused]",
    about: `Generate a key with the same name and limits and print it (shown only once). The old one works until DATE, or for ${replacedForDays} days. It stops earlier after a day without a call, once the new one is used, except with --even-if-unused`,
    options: { until: text, "even-if-unused": { type: "boolean" } },
    run: ([id = ""], { until, "even-if-unused": isKept }) =>
      withData(async ({ config, db, now }) => {
        const stopsAt = momentIn("until", until, now) ?? new Date(now.getTime() + replacedForDays * dayMs);
        const wanted = { id, prefix: config.KEY_PREFIX, stopsAt, endsWhenQuiet: isKept !== true };
        const made = await replaceKey(db, wanted, { actor }, now);
        if (!made) throw new Error(`No active API key with the id ${id}, or it was replaced already.`);
        print(made.key);
      }),
  },
  {
    usage: "keys deactivate <id>",
    about: "Deactivate an API key immediately; this cannot be undone",
    run: ([id = ""]) =>
      withData(async ({ db, now }) => {
        const deactivated = await apiKeys.deactivate(db, id, { actor }, now);
        if (!deactivated) throw new Error(`No API key with the id ${id}.`);
        print(id, deactivated.key.name, "inactive");
      }),
  },
];

/** Returns the limits of a new key. @throws if one of them is not valid */
function limitsIn(flags: Flags, config: Config, now: Date): apiKeys.KeyLimits {
  const chosen = flags.scopes === undefined ? { scopes: null } : readScopes(namesIn(String(flags.scopes)));
  if ("problem" in chosen) throw new Error(`--scopes: ${chosen.problem}`);
  const allowed = flags.networks === undefined ? { networks: null } : namedNetworks(String(flags.networks), config);
  if ("problem" in allowed) throw new Error(`--networks: ${allowed.problem}`);
  const uploads = readUploadLimits({
    maxBytes: String(flags["max-bytes"] ?? ""),
    types: String(flags.types ?? ""),
    folder: String(flags.folder ?? ""),
  });
  if ("problem" in uploads) throw new Error(uploads.problem);
  const isEmpty = ["max-bytes", "types", "folder"].find(
    (name) => flags[name] !== undefined && !String(flags[name]).trim(),
  );
  if (isEmpty) throw new Error(`--${isEmpty} must not be empty.`);
  return { ...chosen, ...allowed, ...uploads, expiresAt: momentIn("expires", flags.expires, now) };
}

/** Like `readNetworks`, but a list without any, as from a variable that is not set, must not lift the limit. */
function namedNetworks(list: string, config: Config) {
  const read = readNetworks(list, config);
  return "networks" in read && !read.networks ? { problem: noNetwork } : read;
}

/** Returns the end of a day in UTC, or a time; undefined if there is none. @throws if it is not valid, or over */
function momentIn(option: string, date: Flags[string], now: Date): Date | undefined {
  if (date === undefined) return;
  const [, day = "", time] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d))?$/.exec(String(date)) ?? [];
  const moment = time ? new Date(`${day}${time}`) : new Date(Date.parse(day) + dayMs);
  // 30 February would be read as 2 March
  const isDay = !Number.isNaN(moment.getTime()) && new Date(day).toISOString().startsWith(day);
  if (!isDay) throw new Error(`--${option} must be a day such as 2026-12-24, or a time such as 2026-12-24T09:00:00Z.`);
  if (moment <= now) throw new Error(`--${option} must be in the future.`);
  return moment;
}

const namesIn = (list: string) => list.split(",").map((name) => name.trim());
