import { type Limit, Ring, type Verdict } from "./ring";
import * as rateLimitHits from "../../../db/limits/rate-limits";
import { clientNetwork } from "../../platform/client-address";
import { all, describe, hashWith, hourBefore, type Limits, type Needs, tooMany } from "./limits";

const maxClients = 100_000; // remembered at once, about 30 MB

/** The sliding windows of all clients and limits, in memory. */
export class SlidingWindows {
  private readonly windows: Map<string, Map<string, Ring>>;
  private sweptAt = Number.NEGATIVE_INFINITY;

  constructor(
    limits: readonly Limit[],
    private readonly now: () => Date,
  ) {
    this.windows = new Map(limits.map(({ name }) => [name, new Map<string, Ring>()]));
  }

  /** Counts one request, unless the window is full. */
  take(limit: Limit, client: string, at: number): Verdict {
    return this.windowOf(limit, client).take(at);
  }

  /** Undoes the latest admission. */
  giveBack(limit: Limit, client: string) {
    this.windowOf(limit, client).giveBack();
  }

  /** Returns the window of a client, created if necessary. */
  private windowOf(limit: Limit, client: string): Ring {
    const clients = this.windows.get(limit.name) as Map<string, Ring>;
    let ring = clients.get(client);
    if (!ring) {
      this.makeRoom(this.now().getTime());
      clients.set(client, (ring = new Ring(limit)));
    }
    return ring;
  }

  /** Drops expired windows first, at most once a second because looking takes a millisecond; then the oldest ones. */
  private makeRoom(at: number) {
    if (this.size < maxClients) return;
    if (Math.abs(at - this.sweptAt) >= 1_000) {
      this.sweptAt = at;
      for (const clients of this.windows.values())
        for (const [client, ring] of clients) if (ring.isOver(at)) clients.delete(client);
    }
    if (this.size < maxClients) return;
    const [largest] = [...this.windows.values()].sort((a, b) => b.size - a.size);
    const [oldest] = largest?.keys() ?? [];
    if (oldest !== undefined) largest?.delete(oldest);
  }

  private get size() {
    let sum = 0;
    for (const clients of this.windows.values()) sum += clients.size;
    return sum;
  }
}

export async function limitsInMemory({ db, config, now }: Needs): Promise<Limits> {
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
      const client = hash(clientNetwork(context.visitorAddress));
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
