import * as apiKeys from "../../db/api-keys";
import type { Deps } from "../deps";
import { describe, limits as limitOf, tooMany } from "./rate-limit";
import type { Gate, Refusal } from "./refusal";

/**
 * Lets in who holds an active API key (spec part 5), 600 times a minute (D29). Only the header counts; an empty one is
 * a missing one. HEAD leaves no trace in `lastUsedAt` (D9).
 */
export const requireApiKey =
  ({ counters, db, limits, now }: Pick<Deps, "counters" | "db" | "limits" | "now">): Gate =>
  async (visit) => {
    const key = visit.request.headers.get("x-api-key");
    if (!key) return unauthorized("Missing API key");
    const id = await apiKeys.authenticate(db, key);
    if (!id) return unauthorized("Invalid or inactive API key");

    visit.apiKeyId = id;
    if (!visit.isHead) counters.keyUsed(id, now());
    const verdict = limits.take(limitOf.key, id);
    describe(limitOf.key, verdict, visit);
    return verdict.admitted ? undefined : tooMany(verdict);
  };

const unauthorized = (message: string): Refusal => ({ status: 401, code: "UNAUTHORIZED", message });
