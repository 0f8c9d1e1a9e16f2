import { hourMs } from "../../../db/lib/time";
import type { RequestContext } from "../../platform/request-context";
import type { Refusal } from "../refusal";
import type { Limit, Verdict } from "./ring";
import type { Db } from "../../../db/engine/open";
import type { Config } from "../../platform/config";
import { keyedHash } from "../secrets";

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

export type Limits = {
  /** Counts one request; in memory only if the database belongs to this process. */
  take(limit: Limit, client: string, at?: number): Verdict | Promise<Verdict>;
  /** The same for frequent requests: together, several processes may admit slightly fewer than `max`. */
  takeFromBlock(limit: Limit, client: string, at: number): Verdict | Promise<Verdict>;
  /** Counts one request of a visitor, on disk before the response is sent. */
  admit(limit: Limit, context: RequestContext): Promise<Refusal | undefined>;
  /** Counts one attempt, unless `forgive` takes it back. `keep` stores it, so that it counts after a restart. */
  attempt(limit: Limit, client: string): Promise<Attempt>;
  /** Deletes stored hits that no window needs. */
  sweep(): Promise<void>;
};
type Attempt = { verdict: Verdict; forgive: () => Promise<void>; keep: () => Promise<void> };

/**
 * The limits of the contract (spec part 8), and our own: for each client, or each API key. Those for the whole site are
 * settings (`db/limits/hourly-limits.ts`).
 */
export const limits = {
  subscribe: { name: "subscribe", max: 5, seconds: 600 },
  /** What people set on the page of their own. */
  preferences: { name: "preferences", max: 20, seconds: 600 },
  contact: { name: "contact", max: 5, seconds: 600 },
  key: { name: "key", max: 600, seconds: 60 },
  /** People whom programs erase, for each key. */
  erasures: { name: "erasures", max: 60, seconds: 3600 },
  /** What sites do on behalf of all their visitors together, for each key. */
  visitorForms: { name: "visitor-forms", max: 60, seconds: 600 },
  visitorViews: { name: "visitor-views", max: 3_000, seconds: 60 },
  signIn: { name: "sign-in", max: 5, seconds: 900 },
  account: { name: "account", max: 10, seconds: 3600 },
  passkey: { name: "passkey", max: 30, seconds: 900 },
  webhook: { name: "webhook", max: 60, seconds: 60 }, // reports with a bad signature
} satisfies Record<string, Limit>;
export const all: Limit[] = Object.values(limits);

export type Needs = { db: Db; config: Config; now: () => Date };

export const hashWith = (config: Config) => (client: string) => keyedHash(config.APP_SECRET, "rate-limit", client);
export const hourBefore = (now: Date) => new Date(now.getTime() - hourMs); // no window is longer
