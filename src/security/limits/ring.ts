/** At most `max` admissions in any `seconds`. */
export type Limit = { name: string; max: number; seconds: number };
export type Verdict = { admitted: boolean; remaining: number; resetSeconds: number };

/**
 * The admissions within the window, in a ring buffer. Those that have left the window are dropped when the next one
 * comes.
 */
export class Ring {
  readonly #times: number[] = [];
  #first = 0; // index of the oldest
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

  /**
   * Drops what has left the window, and admissions in the future: the clock was ahead, and they would count for too
   * long.
   */
  #forget(since: number, at: number) {
    const { max } = this.limit;
    while (this.#count && (this.#times[(this.#first + this.#count - 1) % max] ?? 0) > at) this.#count--;
    while (this.#count && (this.#times[this.#first] ?? 0) <= since) {
      this.#first = (this.#first + 1) % max;
      this.#count--;
    }
  }
}
