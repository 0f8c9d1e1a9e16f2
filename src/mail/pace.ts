type Sender = "outbox" | "broadcasts";

const second = 1_000;
const minute = 60 * second;
/** Of the provider's limit: others may use the same account. */
const share = 0.8;
/** What the bucket holds of a second's requests: at once and then at full pace, they stay within the provider's limit. */
const burst = 0.25;
const reservedForOutbox = 1; // tokens that broadcasts leave
const minCapacity = 1 + reservedForOutbox;
const maxRestMs = 15 * minute;
const [firstOutageMs, maxOutageMs] = [5 * second, 10 * minute];

/**
 * How fast the provider may be asked: one token bucket for outbox and broadcasts, because both use up the same limit. A
 * token is one request. The rate follows the provider's own headers, which differ by
 * account and over time. Kept in memory: a new process starts slowly and learns the limit from the first answer.
 */
export class Pace {
  private tokens: number;
  private filledAt: number;
  private limit = { requests: 0, windowMs: 0 };
  private slowUntil = 0; // half the rate
  private emptyUntil = 0; // nothing is left of the provider's window
  private restingUntil = 0;
  private outages = 0; // in a row

  /** @param rate requests a second until the provider says otherwise */
  constructor(
    private readonly now: () => Date,
    private rate: number,
  ) {
    this.tokens = this.capacity;
    this.filledAt = this.time;
  }

  /** Takes up to `count` tokens. Returns how many there were. */
  take(count: number, sender: Sender): number {
    this.refill();
    if (this.isAhead(this.restingUntil) || this.isAhead(this.emptyUntil)) return 0;
    const whole = Math.floor(this.tokens + 1e-9); // sums of fractions
    const taken = Math.max(0, Math.min(count, whole - leftBy(sender)));
    this.tokens -= taken;
    return taken;
  }

  /** Returns tokens that were not used. */
  giveBack(count: number): void {
    this.tokens = Math.min(this.capacity, this.tokens + count);
  }

  /** When the next token can be taken; now, if there is one. */
  nextAt(sender: Sender): Date {
    this.refill();
    const missing = Math.max(0, 1 + leftBy(sender) - this.tokens - 1e-9);
    const times = [this.restingUntil, this.emptyUntil].filter((at) => this.isAhead(at));
    return new Date(Math.max(this.time + Math.ceil((missing / this.perSecond) * second), ...times));
  }

  /** Until when nothing is sent, because the provider asked for that or cannot be reached. */
  get restUntil(): Date | undefined {
    return this.isAhead(this.restingUntil) ? new Date(this.restingUntil) : undefined;
  }

  /** How many requests a second there are at present. */
  get perSecond(): number {
    return this.isAhead(this.slowUntil) ? this.rate / 2 : this.rate;
  }

  /** Follows the limit in the headers of an answer. */
  learn(headers: Headers): void {
    const [requests, remaining, reset = 0] = ["limit", "remaining", "reset"].map((name) =>
      wholeNumber(headers.get(`ratelimit-${name}`)),
    );
    const window = wholeNumber(/;\s*w=(\d+)/.exec(headers.get("ratelimit-policy") ?? "")?.[1]);
    if (requests) this.follow(requests, Math.max(window ?? 1, reset) * second);
    if (remaining === 0 && reset) this.emptyUntil = this.time + Math.min(reset * second, maxRestMs);
  }

  /** The provider said "too fast" (429): everything rests, and is half as fast for a minute. */
  throttled(retryAfterMs = second): void {
    this.slowUntil = this.time + minute;
    this.rest(retryAfterMs);
  }

  /** The provider cannot be reached: everything rests, longer each time. Many attempts may notice it at once. */
  unavailable(): void {
    if (!this.restUntil) this.rest(Math.min(firstOutageMs * 2 ** this.outages++, maxOutageMs));
  }

  /** The provider answers. */
  available(): void {
    this.outages = 0;
  }

  private get time(): number {
    return this.now().getTime();
  }

  private get capacity(): number {
    return Math.max(minCapacity, this.rate * burst);
  }

  /** A time further ahead than it could have been set is that of a clock which was put back since. */
  private isAhead(at: number): boolean {
    return at > this.time && at - this.time <= maxRestMs;
  }

  private rest(milliseconds: number): void {
    const until = this.time + Math.min(Math.max(milliseconds, second), maxRestMs);
    this.restingUntil = this.isAhead(this.restingUntil) ? Math.max(this.restingUntil, until) : until;
  }

  private refill(): void {
    const seconds = Math.max(0, this.time - this.filledAt) / second;
    this.tokens = Math.min(this.capacity, this.tokens + seconds * this.perSecond);
    this.filledAt = this.time;
  }

  private follow(requests: number, windowMs: number): void {
    const known = this.limit.requests === requests ? this.limit.windowMs : 0; // `reset` is what is left of a window
    this.limit = { requests, windowMs: Math.max(known, windowMs) };
    this.refill();
    const before = this.capacity;
    this.rate = (requests * share * second) / this.limit.windowMs;
    this.tokens = Math.min(this.capacity, this.tokens + Math.max(0, this.capacity - before));
  }
}

const leftBy = (sender: Sender) => (sender === "outbox" ? 0 : reservedForOutbox);

const wholeNumber = (text: string | null | undefined) =>
  /^\d{1,9}/.test(text ?? "") ? Number.parseInt(text ?? "") : undefined;
