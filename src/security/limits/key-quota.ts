import type { AuthenticatedKey } from "../../../db/access/keys/authentication";
import type { Deps } from "../../boot/deps";
import { limits as limitOf } from "./limits";
import type { Verdict } from "./ring";

/** Counts one request of an API key against its quota of 600 a minute (D29) and says whether it is admitted. */
export type ConsumeKeyQuota = (apiKey: AuthenticatedKey, isPassive: boolean) => Verdict | Promise<Verdict>;

/** Enforces the quota of every API key (D29) and records its last use (D28), except for HEAD (D9). */
export const keyQuota =
  ({ counters, limits, now }: Pick<Deps, "counters" | "limits" | "now">): ConsumeKeyQuota =>
  (apiKey, isPassive) => {
    const at = now().getTime();
    if (!isPassive) counters.keyUsed(apiKey, at);
    return limits.takeFromBlock(limitOf.key, apiKey.id, at);
  };
