const [firstRestMs, maxRestMs] = [5_000, 600_000];

/**
 * Notices that the provider is down: several unknown outcomes in a row. Then one batch at a time tests whether it
 * responds again, so that an outage leaves no more batches in doubt than that.
 */
export class Outage {
  private unknowns: number;

  /** @param inDoubt batches that were in doubt when this process started */
  constructor(
    private readonly max: number,
    inDoubt: number,
  ) {
    this.unknowns = Math.min(inDoubt, max);
  }

  get isOn(): boolean {
    return this.unknowns >= this.max;
  }

  /** Whether another batch may be claimed besides those in flight, which may all end in doubt. */
  mayClaim(inFlight: number): boolean {
    return this.isOn ? inFlight === 0 : this.unknowns + inFlight < this.max;
  }

  /** Records an unknown outcome. Returns how long to rest, if at all. */
  unknown(): number {
    this.unknowns++;
    return this.isOn ? Math.min(firstRestMs * 2 ** (this.unknowns - this.max), maxRestMs) : 0;
  }

  /** Records a response. Returns whether the provider had been down. */
  answered(): boolean {
    const wasOn = this.isOn;
    this.unknowns = 0;
    return wasOn;
  }
}
