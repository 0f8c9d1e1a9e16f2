import type { RequestContext } from "../../platform/request-context";
import type { Refusal } from "../refusal";
import type { Limit, Verdict } from "./ring";
import type { Limits } from "./limits";

/** A gate for areas open to everyone, with a limit per client. */
export const rateLimit = (of: Limits, limit: Limit) => (context: RequestContext) => of.admit(limit, context);

/** Sets the headers of draft-ietf-httpapi-ratelimit-headers (D31). */
export function describe(limit: Limit, verdict: Verdict, context: RequestContext) {
  context.headers["ratelimit-policy"] = policyOf(limit);
  context.headers["ratelimit"] = stateOf(limit, verdict);
  if (!verdict.admitted) context.headers["retry-after"] = String(verdict.resetSeconds);
}

export const policyOf = ({ name, max, seconds }: Limit) => `"${name}";q=${max};w=${seconds}`;
export const stateOf = ({ name }: Limit, { remaining, resetSeconds }: Verdict) =>
  `"${name}";r=${remaining};t=${resetSeconds}`;

export const tooMany = ({ resetSeconds }: Verdict): Refusal => ({
  status: 429,
  code: "RATE_LIMITED",
  message: `Too many requests. Try again in ${resetSeconds} ${resetSeconds === 1 ? "second" : "seconds"}.`,
});
