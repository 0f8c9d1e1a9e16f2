import type { Db } from "../../db/engine/open";
import type { Scope } from "../../db/schema/scopes";
import * as keyAuthentication from "../../db/access/keys/api-keys";
import type { Recorder } from "../http/access-log";
import { limits as limitOf, stateOf } from "../security/limits/limits";
import type { Verdict } from "../security/limits/ring";
import { clientAddress } from "../platform/client-address";
import type { Config } from "../platform/config";
import { type Peers, peerOf, type RecordedCall } from "../platform/request-context";
import { type ConsumeKeyQuota, hasScope, isFromItsNetworks } from "../security/require-api-key";
import { codedFor, conditional } from "../http/prepared";
import type { KeptResponse, PreparedResponses } from "./prepared-responses";

type Needs = {
  config: Config;
  responses: PreparedResponses;
  db: Db;
  now: () => Date;
  record: Recorder;
  consumeKeyQuota: ConsumeKeyQuota;
  /** The scopes of the keyed routes. */
  scopes: () => ReadonlyMap<string, Scope>;
};

/** A call whose address is only worked out for keys that need it. */
class Call implements RecordedCall {
  constructor(
    readonly request: Request,
    readonly route: string,
    private readonly peers: Peers | undefined,
    private readonly config: Config,
  ) {}

  get address(): string {
    const forwarded = this.request.headers.get("x-forwarded-for");
    return clientAddress(peerOf(this.request, this.peers), forwarded, this.config.TRUSTED_PROXIES);
  }
}

/**
 * Responds to a keyed read immediately if its response is prepared and its key is admitted. Does what the pipeline, the
 * gate and the route would do, without the steps between them. Returns undefined for every other request, which then
 * takes the usual way: no prepared response, a rejected key (its 401, 403 or 429 is made there), HEAD, or a failing
 * database.
 */
export function fastPath({ config, responses, db, now, record, consumeKeyQuota, scopes }: Needs) {
  return function tryPrepared(request: Request, peers?: Peers): Response | undefined | Promise<Response | undefined> {
    if (request.method !== "GET") return;
    const startedAt = performance.now();
    try {
      const prepared = responses.find(request);
      const key = prepared && request.headers.get("x-api-key");
      const apiKey = key && keyAuthentication.authenticate(db, key, now().getTime());
      if (!prepared || !apiKey || apiKey instanceof Promise) return;
      const scope = scopes().get(prepared.route);
      const call = new Call(request, prepared.route, peers, config);
      if (!scope || !hasScope(apiKey, scope) || !isFromItsNetworks(apiKey, call)) return;
      const verdict = consumeKeyQuota(apiKey, false, call);
      if (!(verdict instanceof Promise)) return send(request, prepared, verdict, startedAt);
      return verdict.then((resolved) => send(request, prepared, resolved, startedAt)).catch(() => undefined);
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
