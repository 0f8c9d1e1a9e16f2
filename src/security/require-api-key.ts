import { bitOf, type Scope } from "../../db/schema/scopes";
import { describe, limits as limitOf, type Limits, tooMany } from "./limits/limits";
import type { Verdict } from "./limits/ring";
import type { Db } from "../../db/engine/open";
import type { Actor } from "../../db/audit";
import * as apiKeys from "../../db/access/keys/api-keys";
import { isIn, type Network, networkOf } from "../platform/networks";
import { contextOf, type RecordedCall, type RequestContext, type Visitor } from "../platform/request-context";
import type { Gate, Refusal } from "./refusal";

/** Counts one request of an API key against its quota of 600 a minute (D29) and says whether it is admitted. */
export type ConsumeKeyQuota = (
  apiKey: apiKeys.AuthenticatedKey,
  isPassive: boolean,
  call: RecordedCall,
) => Verdict | Promise<Verdict>;

/** Records who uses a key, and who is refused. */
export type KeyCounters = {
  keyUsed(apiKey: apiKeys.AuthenticatedKey, at: number, call: RecordedCall): void;
  keyNamedVisitor(apiKey: apiKeys.AuthenticatedKey, at: number, call: RecordedCall): void;
  visitorNamed(visitor: Pick<Visitor, "apiKeyId" | "hash">, at: number): void;
  keyRefused(apiKey: apiKeys.AuthenticatedKey, at: number, call: RecordedCall, by: "network" | "scope"): void;
};

type Needs = { counters: KeyCounters; limits: Limits; now: () => Date };

/** Enforces the quota of every API key (D29) and records its last use (D28), except for HEAD (D9). */
export const keyQuota =
  ({ counters, limits, now }: Needs): ConsumeKeyQuota =>
  (apiKey, isPassive, call) => {
    const at = now().getTime();
    if (!isPassive) counters.keyUsed(apiKey, at, call);
    return limits.takeFromBlock(limitOf.key, apiKey.id, at);
  };

/** Whether the key may be used for what needs this scope. */
export const hasScope = ({ scopes }: Pick<apiKeys.AuthenticatedKey, "scopes">, scope: Scope): boolean =>
  (scopes & bitOf(scope)) !== 0;

const parsed = new WeakMap<readonly string[], Network[]>();

/** Whether the call comes from a network that the key is limited to. Each key's networks are parsed once. */
export function isFromItsNetworks(
  { networks }: Pick<apiKeys.AuthenticatedKey, "networks">,
  call: RecordedCall,
): boolean {
  if (!networks) return true;
  let own = parsed.get(networks);
  if (!own) parsed.set(networks, (own = networks.flatMap((text) => networkOf(text) ?? [])));
  return isIn(own, call.address);
}

type Keyed = {
  db: Db;
  now: () => Date;
  counters: KeyCounters;
  /** The scopes of the keyed routes. */
  scopes: () => ReadonlyMap<string, Scope>;
};

/**
 * Admits requests with an active API key (spec part 5), within the key's quota, to what its scopes allow. Only the
 * header counts; an empty one is a missing one. A key outside its networks is answered like an unknown one: whoever
 * found it learns nothing.
 *
 * @throws if the route declares no scope
 */
export const requireApiKey =
  ({ db, now, counters, scopes }: Keyed, consumeKeyQuota: ConsumeKeyQuota): Gate =>
  async (context) => {
    const { headers } = context.request;
    const key = headers.get("x-api-key");
    if (!key) return missing(headers);
    const at = now().getTime();
    const apiKey = await apiKeys.authenticate(db, key, at);
    if (!apiKey) return invalid;
    const refusedBy = (what: "network" | "scope") => {
      if (!context.isHead) counters.keyRefused(apiKey, at, context, what);
    };
    if (!isFromItsNetworks(apiKey, context)) {
      refusedBy("network");
      return invalid;
    }

    context.apiKeyId = apiKey.id;
    context.uploadLimits = apiKey.uploadLimits;
    const verdict = await consumeKeyQuota(apiKey, context.isHead, context);
    describe(limitOf.key, verdict, context);
    if (!verdict.admitted) return tooMany(verdict);
    const scope = scopes().get(context.route);
    if (!scope) throw new Error(`${context.route} declares no scope`);
    if (hasScope(apiKey, scope)) return;
    refusedBy("scope");
    return forbidden(scope);
  };

/** Whether the request has a key with this scope that works here. Counts nothing: the gate does. */
export async function hasKeyFor({ db, now }: Pick<Keyed, "db" | "now">, context: RequestContext, scope: Scope) {
  const key = context.request.headers.get("x-api-key");
  const apiKey = key ? await apiKeys.authenticate(db, key, now().getTime()) : undefined;
  return apiKey !== undefined && isFromItsNetworks(apiKey, context) && hasScope(apiKey, scope);
}

const unauthorized = (message: string): Refusal => ({ status: 401, code: "UNAUTHORIZED", message });
const invalid = unauthorized("Invalid or inactive API key");

/** Many services read `Authorization`, so whoever sends only that is told the header's name. */
function missing(headers: Headers): Refusal {
  const refusal = unauthorized("Missing API key");
  if (!headers.has("authorization")) return refusal;
  const message = "Send the key in the header x-api-key. Authorization is not read.";
  return { ...refusal, details: [{ field: "x-api-key", message }] };
}

const forbidden = (scope: Scope): Refusal => ({
  status: 403,
  code: "FORBIDDEN",
  message: `This key lacks the scope ${scope}.`,
  details: [{ field: "scope", message: scope }],
});

/** The key of a request, as the audit log names it. */
export async function keyActorOf(db: Db, request: Request): Promise<Actor> {
  const { apiKeyId = "", address } = contextOf(request);
  const key = await apiKeys.byId(db, apiKeyId);
  return { actor: `API key ${key?.name ?? apiKeyId}`, address };
}
