import type { AuthenticatedKey } from "../../db/access/keys/api-keys";
import { describe, limits as limitOf, type Limits, tooMany } from "./limits/limits";
import type { Verdict } from "./limits/ring";
import type { Db } from "../../db/engine/open";
import * as keyAuthentication from "../../db/access/keys/api-keys";
import type { Gate, Refusal } from "./refusal";

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

/**
 * Admits requests with an active API key (spec part 5), within the key's quota. Only the header counts; an empty one is
 * a missing one.
 */
export const requireApiKey =
  ({ db, now }: { db: Db; now: () => Date }, consumeKeyQuota: ConsumeKeyQuota): Gate =>
  async (context) => {
    const key = context.request.headers.get("x-api-key");
    if (!key) return unauthorized("Missing API key");
    const apiKey = await keyAuthentication.authenticate(db, key, now().getTime());
    if (!apiKey) return unauthorized("Invalid or inactive API key");

    context.apiKeyId = apiKey.id;
    const verdict = await consumeKeyQuota(apiKey, context.isHead);
    describe(limitOf.key, verdict, context);
    return verdict.admitted ? undefined : tooMany(verdict);
  };

const unauthorized = (message: string): Refusal => ({ status: 401, code: "UNAUTHORIZED", message });
