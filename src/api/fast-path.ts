import type { Db } from "../../db/engine/open";
import * as keyAuthentication from "../../db/access/keys/authentication";
import type { Recorder } from "../http/access-log";
import { limits as limitOf } from "../security/limits/limits";
import { stateOf } from "../security/limits/refusal";
import type { Verdict } from "../security/limits/ring";
import type { ConsumeKeyQuota } from "../security/limits/key-quota";
import { conditional, type KeptResponse, type PreparedResponses } from "./prepared-responses";

type Needs = {
  responses: PreparedResponses;
  db: Db;
  now: () => Date;
  record: Recorder;
  consumeKeyQuota: ConsumeKeyQuota;
};

/**
 * Answers a keyed read at once when its response is prepared and its key is admitted: what the pipeline, the gate and
 * the route would do, without the steps between them. Undefined sends the request through these: a response that has to
 * be made, a key that is refused (its 401 or 429 is made there), a HEAD, a database that fails.
 */
export function fastPath({ responses, db, now, record, consumeKeyQuota }: Needs) {
  return function tryPrepared(request: Request): Response | undefined | Promise<Response | undefined> {
    if (request.method !== "GET") return;
    const startedAt = performance.now();
    try {
      const prepared = responses.find(request);
      const key = prepared && request.headers.get("x-api-key");
      const apiKey = key && keyAuthentication.authenticate(db, key, now().getTime());
      if (!prepared || !apiKey || apiKey instanceof Promise) return;
      const verdict = consumeKeyQuota(apiKey, false);
      if (!(verdict instanceof Promise)) return send(request, prepared, verdict, startedAt);
      return verdict.then((known) => send(request, prepared, known, startedAt)).catch(() => undefined);
    } catch {
      return; // it fails in the pipeline too, and is logged there
    }
  };

  function send(request: Request, prepared: KeptResponse, verdict: Verdict, startedAt: number): Response | undefined {
    if (!verdict.admitted) return;
    const context = { id: crypto.randomUUID(), method: "GET", pathname: prepared.pathname, startedAt };
    const { headers } = prepared; // a response copies them, so that each has its own
    headers.set("x-request-id", context.id);
    headers.set("ratelimit", stateOf(limitOf.key, verdict));
    const response = conditional(request, prepared);
    record(context, response.status);
    return response;
  }
}
