import type { Db } from "../../../db/engine/open";
import * as rateLimitHits from "../../../db/access/rate-limits";
import type { Config } from "../../config";
import type { RequestContext } from "../../http/request-context";
import { clientNetwork } from "../client";
import type { Refusal } from "../refusal";
import { keyedHash } from "../secrets";
import { SharedWindows } from "./shared-windows";
import { type Limit, SlidingWindows, type Verdict } from "./sliding-windows";

export type Limits = {
  /** Counts one request; where the database belongs to this process, in memory only. */
  take(limit: Limit, client: string, at?: number): Verdict | Promise<Verdict>;
  /** The same for what is asked very often: several processes may admit a few less than `max` together. */
  takeFromBlock(limit: Limit, client: string, at: number): Verdict | Promise<Verdict>;
  /** Counts one request of a visitor and has it on disk before the response leaves. */
  admit(limit: Limit, context: RequestContext): Promise<Refusal | undefined>;
  /** Takes one attempt that counts unless `forgive` gives it back; `keep` has it on disk, for the next start. */
  attempt(limit: Limit, client: string): Promise<Attempt>;
  /** Deletes from disk what no window needs any more. */
  sweep(): Promise<void>;
};
type Attempt = { verdict: Verdict; forgive: () => Promise<void>; keep: () => Promise<void> };

/** The limits of the contract (spec part 8) and ours. */
export const limits = {
  subscribe: { name: "subscribe", max: 5, seconds: 600 },
  contact: { name: "contact", max: 5, seconds: 600 },
  key: { name: "key", max: 600, seconds: 60 },
  signIn: { name: "sign-in", max: 5, seconds: 900 },
  account: { name: "account", max: 10, seconds: 3600 },
  passkey: { name: "passkey", max: 30, seconds: 900 },
  webhook: { name: "webhook", max: 60, seconds: 60 }, // reports with a bad signature
} satisfies Record<string, Limit>;
const all: Limit[] = Object.values(limits);

/**
 * Sliding windows (D30): in any `seconds` at most `max` admissions. A refusal costs nothing and prolongs nothing.
 * The decision is made in memory; what was admitted is written down, and the response waits for that, so a restart
 * forgives nobody.
 */
export const openLimits = async (needs: Needs): Promise<Limits> =>
  needs.db.isShared ? sharedLimits(needs) : limitsInMemory(needs);

type Needs = { db: Db; config: Config; now: () => Date };

const hashWith = (config: Config) => (client: string) => keyedHash(config.APP_SECRET, "rate-limit", client);
const hourBefore = (now: Date) => new Date(now.getTime() - 3_600_000); // no window is longer

async function limitsInMemory({ db, config, now }: Needs): Promise<Limits> {
  const windows = new SlidingWindows(all, now);
  const take = (limit: Limit, client: string, at = now().getTime()): Verdict => windows.take(limit, client, at);
  const hash = hashWith(config);
  const sweep = () => rateLimitHits.prune(db, hourBefore(now()), now());
  await sweep();
  for (const hit of await rateLimitHits.recent(db, hourBefore(now()), now())) {
    const limit = all.find(({ name }) => name === hit.limit);
    if (limit) take(limit, hit.client, hit.at.getTime());
  }

  return {
    take,
    takeFromBlock: take,
    async admit(limit, context) {
      const client = hash(clientNetwork(context.address));
      const verdict = take(limit, client);
      describe(limit, verdict, context);
      if (!verdict.admitted) return tooMany(verdict);
      context.awaitBeforeResponse(rateLimitHits.record(db, { limit: limit.name, client, at: now() }));
      return undefined;
    },
    async attempt(limit, client) {
      const hashed = hash(client);
      return {
        verdict: take(limit, hashed),
        forgive: async () => windows.giveBack(limit, hashed),
        keep: () => rateLimitHits.record(db, { limit: limit.name, client: hashed, at: now() }),
      };
    },
    sweep,
  };
}

/** Every decision is one statement of the database, and is there for the other processes when it is made. */
function sharedLimits({ db, config, now }: Needs): Limits {
  const windows = new SharedWindows(db);
  const hash = hashWith(config);
  return {
    take: (limit, client, at = now().getTime()) => windows.take(limit, client, at),
    takeFromBlock: (limit, client, at) => windows.takeFromBlock(limit, client, at),
    async admit(limit, context) {
      const verdict = await windows.take(limit, hash(clientNetwork(context.address)), now().getTime());
      describe(limit, verdict, context);
      return verdict.admitted ? undefined : tooMany(verdict);
    },
    async attempt(limit, client) {
      const hashed = hash(client);
      const verdict = await windows.take(limit, hashed, now().getTime());
      return { verdict, forgive: () => windows.giveBack(limit, hashed), keep: async () => {} };
    },
    sweep: () => windows.prune(hourBefore(now())),
  };
}

/** A gate for areas open to everybody: so many requests for each client. */
export const rateLimit = (of: Limits, limit: Limit) => (context: RequestContext) => of.admit(limit, context);

/** D31: the fields of draft-ietf-httpapi-ratelimit-headers. */
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
