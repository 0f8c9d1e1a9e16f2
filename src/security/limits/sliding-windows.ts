/** At most `max` admissions in any `seconds`. */
import { type Limit, Ring, type Verdict } from "./ring";

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
    if (Math.abs(at - this.sweptAt) >= 1_000)
      for (const clients of this.windows.values())
        for (const [client, ring] of clients) if (ring.isOver(at)) clients.delete(client);
    this.sweptAt = at;
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
