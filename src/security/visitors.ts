import * as keyAuthentication from "../../db/access/keys/api-keys";
import type { Db } from "../../db/engine/open";
import { clientNetwork } from "../platform/client-address";
import type { Config } from "../platform/config";
import { ipVersion, isPublicAddress, unmapped } from "../platform/networks";
import type { RequestContext, Visitor } from "../platform/request-context";
import { describe, hashWith, type Limits, limits as limitOf, tooMany } from "./limits/limits";
import type { Gate } from "./refusal";
import { hasScope, isFromItsNetworks, type KeyCounters } from "./require-api-key";

type Needs = { config: Config; db: Db; now: () => Date; limits: Limits; counters: KeyCounters };

/** Why a visitor whom a site named is not taken into account. */
type Reason = "scope" | "address" | "private" | "limit";

const addressHeader = "postroom-visitor-address";
const agentHeader = "postroom-visitor-agent";
const referrerHeader = "postroom-visitor-referrer";
const answerHeader = "postroom-visitor";
const ignored = (reason: Reason) => `ignored; reason="${reason}"`;

/**
 * For public routes that sites call on behalf of their visitors: takes the address and the browser from
 * Postroom-Visitor-Address and Postroom-Visitor-Agent if the key may name visitors, then runs the gate, for which the
 * visitor is the client. All visitors of a key together have a limit too. It comes first, so that a key that leaked
 * cannot fill the memory of limits with visitors it invents; a visitor above their own limit uses up nothing of the
 * others'. Without a valid key the headers are ignored, and nothing says so.
 */
export const onBehalfOfVisitors =
  (needs: Needs, kind: "form" | "view", gate: Gate = () => undefined): Gate =>
  async (context) => {
    const { headers } = context.request;
    if (headers.has(addressHeader) || headers.has(agentHeader)) await takeVisitor(needs, context);
    if (!context.visitor) return gate(context);
    const { limit, verdict, attempt } = await count(needs, kind, context.visitor);
    if (!verdict.admitted) {
      describe(limit, verdict, context);
      context.headers[answerHeader] = ignored("limit");
      return tooMany(verdict);
    }
    const refusal = await gate(context);
    if (refusal) await attempt?.forgive();
    else if (attempt) context.awaitBeforeResponse(attempt.keep()); // so that a restart forgives no one
    return refusal;
  };

/** Counts one call among those of all visitors of the key. A view is counted whatever becomes of it. */
async function count({ limits, now }: Needs, kind: "form" | "view", { apiKeyId }: Visitor) {
  const limit = kind === "form" ? limitOf.visitorForms : limitOf.visitorViews;
  if (kind === "view")
    return { limit, verdict: await limits.takeFromBlock(limit, apiKeyId, now().getTime()), attempt: undefined };
  const attempt = await limits.attempt(limit, apiKeyId);
  return { limit, verdict: attempt.verdict, attempt };
}

/** Makes the visitor that the headers name the one of the request, or says why not. */
async function takeVisitor({ config, db, now, counters }: Needs, context: RequestContext): Promise<void> {
  const { headers } = context.request;
  const key = headers.get("x-api-key");
  const at = now().getTime();
  const apiKey = key ? await keyAuthentication.authenticate(db, key, at) : undefined;
  if (!apiKey) return;
  const refusedBy = isFromItsNetworks(apiKey, context)
    ? !hasScope(apiKey, "visitors") && ("scope" as const)
    : ("network" as const);
  if (!context.isHead)
    if (refusedBy) counters.keyRefused(apiKey, at, context, refusedBy);
    else counters.keyNamedVisitor(apiKey, at, context);
  if (refusedBy === "network") return; // answered like an unknown key
  const address = unmapped((headers.get(addressHeader) ?? "").trim());
  const reason = refusedBy || problemOf(address);
  context.headers[answerHeader] = reason ? ignored(reason) : "used";
  if (reason) return;
  const hash = hashWith(config)(clientNetwork(address));
  const referrer = headers.get(referrerHeader);
  context.visitor = { address, agent: headers.get(agentHeader) ?? "", referrer, hash, apiKeyId: apiKey.id };
  if (!context.isHead) counters.visitorNamed(context.visitor, at);
}

/** An address of the site's own network is not a visitor's: then its proxy is not set up. */
function problemOf(address: string): Reason | undefined {
  if (!ipVersion(address) || address.includes("%")) return "address";
  return isPublicAddress(address) ? undefined : "private";
}
