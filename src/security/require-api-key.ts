import type { Db } from "../../db/engine/open";
import * as keyAuthentication from "../../db/access/keys/api-keys";
import { describe, tooMany } from "./limits/refusal";
import { limits as limitOf } from "./limits/limits";
import type { Gate, Refusal } from "./refusal";
import type { ConsumeKeyQuota } from "./limits/key-quota";

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
