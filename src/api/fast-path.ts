import type { Db } from "../../db/engine/open";
import type { Scope } from "../../db/schema/scopes";
import * as keyAuthentication from "../../db/access/keys/api-keys";
import type { Recorder } from "../http/access-log";
import { limits as limitOf, stateOf } from "../security/limits/limits";
import type { Verdict } from "../security/limits/ring";
import { clientAddress } from "../platform/client-address";
import type { Config } from "../platform/config";
import { type Peers, peerOf } from "../platform/request-context";
import { type ConsumeKeyQuota, hasScope, isFromItsNetworks, type KeyCall } from "../security/require-api-key";
import { conditional, madeFor, type Prepared } from "../http/prepared";
import type { PreparedResponses } from "./prepared-responses";

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
class Call implements KeyCall {
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

/** A prepared response in the coding that the client accepts, and to what. */
type Answer = { form: Prepared; pathname: string; startedAt: number };

/**
 * Responds to a keyed read immediately if its response is prepared and its key is admitted. Does what the pipeline, the
 * gate and the route would do, without the steps between them. Returns undefined for every other request, which then
 * takes the usual way: no prepared response, or not in this coding, a rejected key (its 401, 403 or 429 is made there), HEAD, or a failing
 * database.
 */
export function fastPath({ config, responses, db, now, record, consumeKeyQuota, scopes }: Needs) {
  return function tryPrepared(request: Request, peers?: Peers): Response | undefined | Promise<Response | undefined> {
    if (request.method !== "GET") return;
    const startedAt = performance.now();
    try {
      const prepared = responses.find(request);
      const form = prepared && madeFor(request, prepared);
      const key = form && request.headers.get("x-api-key");
      const apiKey = key && keyAuthentication.authenticate(db, key, now().getTime());
      if (!form || !apiKey || apiKey instanceof Promise) return;
      const scope = scopes().get(prepared.route);
      const call = new Call(request, prepared.route, peers, config);
      if (!scope || !hasScope(apiKey, scope) || !isFromItsNetworks(apiKey, call)) return;
      const verdict = consumeKeyQuota(apiKey, false, call);
      const answer = { form, pathname: prepared.pathname, startedAt };
      if (!(verdict instanceof Promise)) return send(request, answer, verdict);
      return verdict.then((resolved) => send(request, answer, resolved)).catch(() => undefined);
    } catch {
      return; // it fails in the pipeline too, and is logged there
    }
  };

  function send(request: Request, { form, pathname, startedAt }: Answer, verdict: Verdict): Response | undefined {
    if (!verdict.admitted) return;
    const context = { id: crypto.randomUUID(), method: "GET", pathname, startedAt };
    const { headers } = form; // copied, so that each response has its own
    headers.set("x-request-id", context.id);
    headers.set("ratelimit", stateOf(limitOf.key, verdict));
    const response = conditional(request, form);
    record(context, response.status);
    return response;
  }
}
