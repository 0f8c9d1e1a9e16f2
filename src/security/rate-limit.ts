import type { Db } from "../../db";
import * as rateLimitHits from "../../db/rate-limit-hits";
import type { Config } from "../config";
import type { Visit } from "../visit";
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

const most = 100_000; // clients remembered at once, about 30 MB

/**
 * Sliding windows (D30): in any `seconds` at most `max` admissions. A refusal costs nothing and prolongs nothing.
 * The decision is made in memory; what was admitted is written down, and the answer waits for that, so a restart
 * forgives nobody.
 */
export async function openLimits({ db, config, now }: { db: Db; config: Config; now: () => Date }) {
  const clients = new Map<string, Ring>();
  let sweptAt = Number.NEGATIVE_INFINITY;

  function take(limit: Limit, client: string) {
    const key = `${limit.name} ${client}`;
    const at = now().getTime();
    let ring = clients.get(key);
    if (!ring) {
      if (clients.size >= most) makeRoom(at);
      clients.set(key, (ring = new Ring(limit)));
    }
    return ring.take(at);
  }

  /** Expired windows go first, looked for once a second because looking costs a millisecond; then the oldest. */
  function makeRoom(at: number) {
    if (at >= sweptAt + 1_000) for (const [key, ring] of clients) if (ring.isOver(at)) clients.delete(key);
    sweptAt = Math.max(sweptAt, at);
    const [oldest] = clients.keys();
    if (clients.size >= most && oldest !== undefined) clients.delete(oldest);
  }

  const hash = (client: string) => keyedHash(config.APP_SECRET, "rate-limit", client);

  for (const hit of await rateLimitHits.recent(db, new Date(now().getTime() - 3_600_000))) {
    const limit = { ...Object.values(limits).find(({ name }) => name === hit.limit) } as Limit;
    if (!limit.name) continue;
    const key = `${hit.limit} ${hit.client}`;
    const ring = clients.get(key) ?? new Ring(limit);
    clients.set(key, ring);
    ring.take(hit.at.getTime());
  }

  return {
    /** Counts in memory only. For limits that need not survive a restart. */
    take,
    /** Counts one request of a visitor and has it on disk before the answer leaves. */
    admit(limit: Limit, visit: Visit): Refusal | undefined {
      const client = hash(clientNetwork(visit.address));
      const verdict = take(limit, client);
      describe(limit, verdict, visit);
      if (!verdict.admitted) return tooMany(verdict);
      visit.owe(rateLimitHits.record(db, { limit: limit.name, client, at: now() }));
      return undefined;
    },
    /** Takes one attempt that counts unless `forgive` gives it back; `keep` has it on disk, for the next start. */
    attempt(limit: Limit, client: string) {
      const hashed = hash(client);
      return {
        verdict: take(limit, hashed),
        forgive: () => clients.get(`${limit.name} ${hashed}`)?.giveBack(),
        keep: () => rateLimitHits.record(db, { limit: limit.name, client: hashed, at: now() }),
      };
    },
    /** Forgets on disk what no window needs any more. */
    sweep: () => rateLimitHits.recent(db, new Date(now().getTime() - 3_600_000)).then(() => undefined),
  };
}

/** A gate for areas open to everybody: so many requests for each client. */
export const rateLimit = (of: Limits, limit: Limit) => (visit: Visit) => of.admit(limit, visit);

export type Verdict = { admitted: boolean; remaining: number; resetSeconds: number };

/** D31: the fields of draft-ietf-httpapi-ratelimit-headers. */
export function describe({ name, max, seconds }: Limit, { remaining, resetSeconds, admitted }: Verdict, visit: Visit) {
  visit.headers["ratelimit-policy"] = `"${name}";q=${max};w=${seconds}`;
  visit.headers["ratelimit"] = `"${name}";r=${remaining};t=${resetSeconds}`;
  if (!admitted) visit.headers["retry-after"] = String(resetSeconds);
}

export const tooMany = ({ resetSeconds }: Verdict): Refusal => ({
  status: 429,
  code: "RATE_LIMITED",
  message: `Too many requests. Try again in ${resetSeconds} seconds.`,
});

/** The last `max` admissions, in a circle: the oldest of them decides. */
class Ring {
  readonly #times: number[] = [];
  #next = 0;

  constructor(private readonly limit: Limit) {}

  take(at: number): Verdict {
    const { max, seconds } = this.limit;
    const since = at - seconds * 1000;
    const admitted = (this.#times[this.#next] ?? -Infinity) <= since;
    if (admitted) {
      this.#times[this.#next] = at;
      this.#next = (this.#next + 1) % max;
    }
    const oldest = this.#oldest(since);
    const remaining = admitted ? max - this.#live(since) : 0;
    return { admitted, remaining, resetSeconds: Math.min(seconds, Math.max(1, Math.ceil((oldest - since) / 1000))) };
  }

  /** Undoes the latest admission. */
  giveBack() {
    const { max } = this.limit;
    if (!this.#times.length) return;
    this.#next = (this.#next - 1 + max) % max;
    if (this.#times.length < max) this.#times.pop();
    else this.#times[this.#next] = -Infinity;
  }

  isOver(at: number) {
    return this.#live(at - this.limit.seconds * 1000) === 0;
  }

  #live(since: number) {
    let low = 0; // #times is sorted when read from #next on: find the first that is still inside
    let high = this.#times.length;
    const start = this.#times.length < this.limit.max ? 0 : this.#next;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#times[(start + middle) % this.#times.length] ?? 0) <= since) low = middle + 1;
      else high = middle;
    }
    return this.#times.length - low;
  }

  #oldest(since: number) {
    const count = this.#live(since);
    const newest = (this.#next - 1 + this.limit.max) % this.limit.max;
    return this.#times[(newest - count + 1 + this.limit.max) % this.limit.max] ?? since;
  }
}
