import type { Db } from "../../db/engine/open";
import * as apiKeys from "../../db/access/api-keys";
import type { Recorder } from "../http/access-log";
import { limits as limitOf, stateOf } from "../security/rate-limit";
import type { Verdict } from "../security/sliding-windows";
import type { ConsumeKeyQuota } from "../security/key-quota";
import { conditional, type Kept, type PreparedAnswers } from "./prepared-answers";

type Needs = { answers: PreparedAnswers; db: Db; record: Recorder; consumeKeyQuota: ConsumeKeyQuota };

/**
 * Answers a keyed read at once when its answer is prepared and its key is let in: what the pipeline, the gate and the
 * route would do, without the way between them. Undefined sends the request that way: an answer that has to be made,
 * a key that is refused (its 401 or 429 is made there), a HEAD, a database that fails.
 */
export function fastPath({ answers, db, record, consumeKeyQuota }: Needs) {
  return function tryPrepared(request: Request): Response | undefined {
    if (request.method !== "GET") return;
    const startedAt = performance.now();
    try {
      const answer = answers.find(request);
      const key = answer && request.headers.get("x-api-key");
      const apiKey = key && apiKeys.authenticate(db, key);
      if (!answer || !apiKey) return;
      return send(request, answer, consumeKeyQuota(apiKey, false), startedAt);
    } catch {
      return; // it fails on the long way too, and is told there
    }
  };

  function send(request: Request, answer: Kept, verdict: Verdict, startedAt: number): Response | undefined {
    if (!verdict.admitted) return;
    const context = { id: crypto.randomUUID(), method: "GET", pathname: answer.pathname, startedAt };
    const { headers } = answer; // a response copies them, so that each has its own
    headers.set("x-request-id", context.id);
    headers.set("ratelimit", stateOf(limitOf.key, verdict));
    const response = conditional(request, answer);
    record(context, response.status);
    return response;
  }
}
