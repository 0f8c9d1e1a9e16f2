type Sender = "outbox" | "broadcasts";

const second = 1_000;
const minute = 60 * second;
/** of the provider's limit, because others may use the same account */
const share = 0.8;
/**
 * The bucket's size as a share of a second's requests: a burst and then the full pace stay within the provider's limit.
 */
const burst = 0.25;
const reservedForOutbox = 1; // tokens that broadcasts leave to the outbox
const minCapacity = 1 + reservedForOutbox;
const maxPauseMs = 15 * minute;
const [firstOutageMs, maxOutageMs] = [5 * second, 10 * minute];

/**
 * How fast the provider may be called: one token bucket for outbox and broadcasts, because both use up the same limit.
 * A token is one request. The rate follows the provider's own headers, which differ by account and over time. It is
 * kept in memory: a new process starts slowly and learns the limit from the first response. Several processes have one
 * each, and the headers that each gets account for what all of them use. An email waits for a token before it is claimed,
 * so waiting costs no attempt.
 */
export class Pace {
  private tokens: number;
  private filledAt: number;
  private limit = { requests: 0, windowMs: 0 };
  private slowUntil = 0; // at half the rate until then
  private emptyUntil = 0; // the provider's window is used up until then
  private pauseEnd = 0;
  private outages = 0; // in a row

  /** @param rate requests a second, until the provider announces its limit */
  constructor(
    readonly now: () => Date,
    private rate: number,
  ) {
    this.tokens = this.capacity;
    this.filledAt = this.time;
  }

  /** Takes up to `count` tokens. Returns how many there were. */
  take(count: number, sender: Sender): number {
    this.refill();
    if (this.isAhead(this.pauseEnd) || this.isAhead(this.emptyUntil)) return 0;
    const whole = Math.floor(this.tokens + 1e-9); // rounding errors add up
    const taken = Math.max(0, Math.min(count, whole - leftBy(sender)));
    this.tokens -= taken;
    return taken;
  }

  /** Returns tokens that were not used. */
  giveBack(count: number): void {
    this.tokens = Math.min(this.capacity, this.tokens + count);
  }

  /** Returns when the next token can be taken; now if there is one. */
  nextAt(sender: Sender): Date {
    this.refill();
    const missing = Math.max(0, 1 + leftBy(sender) - this.tokens - 1e-9);
    const times = [this.pauseEnd, this.emptyUntil].filter((at) => this.isAhead(at));
    return new Date(Math.max(this.time + Math.ceil((missing / this.perSecond) * second), ...times));
  }

  /** Until when nothing is sent, because the provider asked for it or cannot be reached. */
  get pausedUntil(): Date | undefined {
    return this.isAhead(this.pauseEnd) ? new Date(this.pauseEnd) : undefined;
  }

  /** The current number of requests a second. */
  get perSecond(): number {
    return this.isAhead(this.slowUntil) ? this.rate / 2 : this.rate;
  }

  /** Learns the limit from the headers of a response. */
  learn(headers: Headers): void {
    const [requests, remaining, reset = 0] = ["limit", "remaining", "reset"].map((name) =>
      wholeNumber(headers.get(`ratelimit-${name}`)),
    );
    const window = wholeNumber(/;\s*w=(\d+)/.exec(headers.get("ratelimit-policy") ?? "")?.[1]);
    if (requests) this.follow(requests, Math.max(window ?? 1, reset) * second);
    if (remaining === 0 && reset) this.emptyUntil = this.time + Math.min(reset * second, maxPauseMs);
  }

  /**
   * The provider rejected a request as too fast (429): everything pauses, and then runs at half the rate for a minute.
   */
  throttled(retryAfterMs = second): void {
    this.slowUntil = this.time + minute;
    this.pause(retryAfterMs);
  }

  /**
   * The provider cannot be reached: everything pauses, longer each time. Several attempts may notice it at the same
   * time.
   */
  unavailable(): void {
    if (!this.pausedUntil) this.pause(Math.min(firstOutageMs * 2 ** this.outages++, maxOutageMs));
  }

  /** The provider responded. */
  available(): void {
    this.outages = 0;
  }

  private get time(): number {
    return this.now().getTime();
  }

  private get capacity(): number {
    return Math.max(minCapacity, this.rate * burst);
  }

  /** A time that is further ahead than it can be was set by a clock that has been put back since. */
  private isAhead(at: number): boolean {
    return at > this.time && at - this.time <= maxPauseMs;
  }

  private pause(milliseconds: number): void {
    const until = this.time + Math.min(Math.max(milliseconds, second), maxPauseMs);
    this.pauseEnd = this.isAhead(this.pauseEnd) ? Math.max(this.pauseEnd, until) : until;
  }

  private refill(): void {
    const seconds = Math.max(0, this.time - this.filledAt) / second;
    this.tokens = Math.min(this.capacity, this.tokens + seconds * this.perSecond);
    this.filledAt = this.time;
  }

  private follow(requests: number, windowMs: number): void {
    const currentMs = this.limit.requests === requests ? this.limit.windowMs : 0; // `reset` is the rest of a window
    this.limit = { requests, windowMs: Math.max(currentMs, windowMs) };
    this.refill();
    const before = this.capacity;
    this.rate = (requests * share * second) / this.limit.windowMs;
    this.tokens = Math.min(this.capacity, this.tokens + Math.max(0, this.capacity - before));
  }
}

const leftBy = (sender: Sender) => (sender === "outbox" ? 0 : reservedForOutbox);

const wholeNumber = (text: string | null | undefined) =>
  /^\d{1,9}/.test(text ?? "") ? Number.parseInt(text ?? "") : undefined;
