import type { Db } from "../../db";
import * as apiKeys from "../../db/api-keys";
import { describe, limits as limitOf, tooMany } from "./rate-limit";
import type { Gate, Refusal } from "./refusal";
import type { Turnstile } from "./turnstile";

/**
 * Lets in who holds an active API key (spec part 5), as often as the turnstile turns. Only the header counts; an empty
 * one is a missing one.
 */
export const requireApiKey =
  (db: Db, turnstile: Turnstile): Gate =>
  async (visit) => {
    const key = visit.request.headers.get("x-api-key");
    if (!key) return unauthorized("Missing API key");
    const bearer = apiKeys.authenticate(db, key);
    if (!bearer) return unauthorized("Invalid or inactive API key");

    visit.apiKeyId = bearer.id;
    const verdict = await turnstile(bearer, visit.isHead);
    describe(limitOf.key, verdict, visit);
    return verdict.admitted ? undefined : tooMany(verdict);
  };

const unauthorized = (message: string): Refusal => ({ status: 401, code: "UNAUTHORIZED", message });
