import type { AuthenticatedKey } from "../../../db/access/keys/api-keys";
import { limits as limitOf, type Limits } from "./limits";
import type { Verdict } from "./ring";

/** Counts one request of an API key against its quota of 600 a minute (D29) and says whether it is admitted. */
export type ConsumeKeyQuota = (apiKey: AuthenticatedKey, isPassive: boolean) => Verdict | Promise<Verdict>;

type Needs = {
  counters: { keyUsed(apiKey: AuthenticatedKey, at: number): void };
  limits: Limits;
  now: () => Date;
};

/** Enforces the quota of every API key (D29) and records its last use (D28), except for HEAD (D9). */
export const keyQuota =
  ({ counters, limits, now }: Needs): ConsumeKeyQuota =>
  (apiKey, isPassive) => {
    const at = now().getTime();
    if (!isPassive) counters.keyUsed(apiKey, at);
    return limits.takeFromBlock(limitOf.key, apiKey.id, at);
  };
