import type { Db } from "../../db/engine/open";
import * as rateLimitHits from "../../db/access/rate-limits";
import type { Config } from "../config";
import type { RequestContext } from "../http/request-context";
import { clientNetwork } from "./client";
import type { Refusal } from "./refusal";
import { keyedHash } from "./secrets";

export type Limit = { name: string; max: number; seconds: number };
export type Limits = Awaited<ReturnType<typeof openLimits>>;

/** The limits of the contract (spec part 8) and ours. */
export const limits = {
  subscribe: { name: "subscribe", max: 5, seconds: 600 },
  contact: { name: "contact", max: 5, seconds: 600 },
  key: { name: "key", max: 600, seconds: 60 },
  signIn: { name: "sign-in", max: 5, seconds: 900 },
  account: { name: "account", max: 10, seconds: 3600 },
  passkey: { name: "passkey", max: 30, seconds: 900 },
} satisfies Record<string, Limit>;
const all: Limit[] = Object.values(limits);

const most = 100_000; // clients remembered at once, about 30 MB

/**
 * Sliding windows (D30): in any `seconds` at most `max` admissions. A refusal costs nothing and prolongs nothing.
 * The decision is made in memory; what was admitted is written down, and the answer waits for that, so a restart
 * forgives nobody.
 */
export async function openLimits({ db, config, now }: { db: Db; config: Config; now: () => Date }) {
  const windows = new Map(all.map(({ name }) => [name, new Map<string, Ring>()]));
  let sweptAt = Number.NEGATIVE_INFINITY;

  /** The window of a client, made when there is none. */
  function windowOf(limit: Limit, client: string): Ring {
    const clients = windows.get(limit.name) as Map<string, Ring>;
    let ring = clients.get(client);
    if (!ring) {
      makeRoom(now().getTime());
      clients.set(client, (ring = new Ring(limit)));
    }
    return ring;
  }

  const take = (limit: Limit, client: string, at = now().getTime()): Verdict => windowOf(limit, client).take(at);

  /** Expired windows go first, looked for once a second because looking costs a millisecond; then the oldest. */
  function makeRoom(at: number) {
    if (remembered() < most) return;
    if (Math.abs(at - sweptAt) >= 1_000)
      for (const clients of windows.values())
        for (const [client, ring] of clients) if (ring.isOver(at)) clients.delete(client);
    sweptAt = at;
    if (remembered() < most) return;
    const [largest] = [...windows.values()].sort((a, b) => b.size - a.size);
    const [oldest] = largest?.keys() ?? [];
    if (oldest !== undefined) largest?.delete(oldest);
  }

  function remembered() {
    let sum = 0;
    for (const clients of windows.values()) sum += clients.size;
    return sum;
  }

  const hash = (client: string) => keyedHash(config.APP_SECRET, "rate-limit", client);

  const recent = () => rateLimitHits.recent(db, new Date(now().getTime() - 3_600_000), now());
  for (const hit of await recent()) {
    const limit = all.find(({ name }) => name === hit.limit);
    if (limit) windowOf(limit, hit.client).take(hit.at.getTime());
  }

  return {
    /** Counts in memory only. For limits that need not survive a restart. */
    take,
    /** Counts one request of a visitor and has it on disk before the answer leaves. */
    admit(limit: Limit, context: RequestContext): Refusal | undefined {
      const client = hash(clientNetwork(context.address));
      const verdict = take(limit, client);
      describe(limit, verdict, context);
      if (!verdict.admitted) return tooMany(verdict);
      context.awaitBeforeResponse(rateLimitHits.record(db, { limit: limit.name, client, at: now() }));
      return undefined;
    },
    /** Takes one attempt that counts unless `forgive` gives it back; `keep` has it on disk, for the next start. */
    attempt(limit: Limit, client: string) {
      const hashed = hash(client);
      return {
        verdict: take(limit, hashed),
        forgive: () => windowOf(limit, hashed).giveBack(),
        keep: () => rateLimitHits.record(db, { limit: limit.name, client: hashed, at: now() }),
      };
    },
    /** Forgets on disk what no window needs any more. */
    sweep: () => recent().then(() => undefined),
  };
}

/** A gate for areas open to everybody: so many requests for each client. */
export const rateLimit = (of: Limits, limit: Limit) => (context: RequestContext) => of.admit(limit, context);

export type Verdict = { admitted: boolean; remaining: number; resetSeconds: number };

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
  message: `Too many requests. Try again in ${resetSeconds} seconds.`,
});

/** The admissions inside the window, in a circle. What leaves the window is dropped when the next one comes. */
class Ring {
  readonly #times: number[] = [];
  #first = 0; // where the oldest one is
  #count = 0;

  constructor(private readonly limit: Limit) {}

  take(at: number): Verdict {
    const { max, seconds } = this.limit;
    const since = at - seconds * 1000;
    this.#forget(since, at);
    const admitted = this.#count < max;
    if (admitted) this.#times[(this.#first + this.#count++) % max] = at;
    const oldest = this.#times[this.#first] ?? at;
    const resetSeconds = Math.min(seconds, Math.max(1, Math.ceil((oldest - since) / 1000)));
    return { admitted, remaining: max - this.#count, resetSeconds };
  }

  /** Undoes the latest admission. */
  giveBack() {
    if (this.#count) this.#count--;
  }

  isOver(at: number) {
    this.#forget(at - this.limit.seconds * 1000, at);
    return this.#count === 0;
  }

  /** What left the window, and what lies in the future: the clock was ahead then, and would count for too long (P77). */
  #forget(since: number, at: number) {
    const { max } = this.limit;
    while (this.#count && (this.#times[(this.#first + this.#count - 1) % max] ?? 0) > at) this.#count--;
    while (this.#count && (this.#times[this.#first] ?? 0) <= since) {
      this.#first = (this.#first + 1) % max;
      this.#count--;
    }
  }
}
