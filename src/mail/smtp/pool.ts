const [firstGrowthMs, maxGrowthMs] = [60_000, 3_600_000];

/**
 * How many connections may be open. A server that rejects one of several may allow fewer than `max`: then the pool is
 * one smaller than what was tried, and grows again by one after a minute, later each time it was too much.
 */
export class Pool {
  private readonly waiting: (() => void)[] = [];
  private size: number;
  private used = 0;
  private changedAt = 0;
  private hasGrown = false;
  private growthMs = firstGrowthMs;

  constructor(
    private readonly max: number,
    private readonly now: () => Date,
  ) {
    this.size = max;
  }

  /** Waits for a place. */
  async enter(): Promise<void> {
    this.grow();
    if (this.used < this.size) this.used++;
    else await new Promise<void>((turn) => this.waiting.push(turn));
  }

  leave(): void {
    this.used--;
    this.grow();
    for (; this.waiting.length && this.used < this.size; this.used++) this.waiting.shift()?.();
  }

  /**
   * One of those that have entered was rejected. Returns whether it may have been one too many: then it should leave
   * and enter again. Alone it was not, and neither was any before it.
   */
  crowded(): boolean {
    const isAlone = this.used <= 1;
    if (isAlone || this.hasGrown) this.growthMs = isAlone ? firstGrowthMs : Math.min(this.growthMs * 2, maxGrowthMs);
    this.resize(isAlone ? this.max : Math.min(this.size, this.used - 1), false);
    return !isAlone;
  }

  private grow(): void {
    const waitedMs = Math.abs(this.now().getTime() - this.changedAt);
    if (this.size < this.max && waitedMs >= this.growthMs) this.resize(this.size + 1, true);
  }

  private resize(size: number, hasGrown: boolean): void {
    [this.size, this.hasGrown, this.changedAt] = [size, hasGrown, this.now().getTime()];
  }
}
