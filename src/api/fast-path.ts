import type { Db } from "../../db/engine/open";
import * as keyAuthentication from "../../db/access/keys/api-keys";
import type { Recorder } from "../http/access-log";
import { limits as limitOf, stateOf } from "../security/limits/limits";
import type { Verdict } from "../security/limits/ring";
import type { ConsumeKeyQuota } from "../security/require-api-key";
import { codedFor, conditional } from "../http/prepared";
import type { KeptResponse, PreparedResponses } from "./prepared-responses";

type Needs = {
  responses: PreparedResponses;
  db: Db;
  now: () => Date;
  record: Recorder;
  consumeKeyQuota: ConsumeKeyQuota;
};

/**
 * Responds to a keyed read immediately if its response is prepared and its key is admitted. Does what the pipeline, the
 * gate and the route would do, without the steps between them. Returns undefined for every other request, which then
 * takes the usual way: no prepared response, a rejected key (its 401 or 429 is made there), HEAD, or a failing
 * database.
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
    const coded = codedFor(request, prepared);
    const { headers } = coded; // copied, so that each response has its own
    headers.set("x-request-id", context.id);
    headers.set("ratelimit", stateOf(limitOf.key, verdict));
    const response = conditional(request, coded);
    record(context, response.status);
    return response;
  }
}
