/**
 * Tasks that nobody waits for until the service stops. `close` begins no more of them, tells the running ones by
 * `signal`, and waits for them.
 */
export class Background {
  private readonly running = new Set<Promise<void>>();
  private readonly timers: Timer[] = [];
  private readonly closing = new AbortController();
  readonly signal = this.closing.signal;
  /** No one waits any longer, so the database may be closed. */
  isAbandoned = false;

  /** @param failed is told why a task rejected, unless it was because of the stop */
  constructor(private readonly failed: (error: unknown) => void) {}

  run(task: () => Promise<unknown>): void {
    if (this.signal.aborted) return;
    const ended: Promise<void> = this.reported(task).finally(() => this.running.delete(ended));
    this.running.add(ended);
  }

  every(milliseconds: number, task: () => Promise<unknown>): void {
    this.timers.push(setInterval(() => this.run(task), milliseconds));
  }

  /** Waits for all running tasks. */
  async settled(): Promise<void> {
    while (this.running.size) await Promise.all(this.running);
  }

  /** Waits no longer than `graceMs`: a task may be waiting for a server that does not answer. */
  async close(graceMs = 2_000): Promise<void> {
    this.closing.abort();
    this.timers.forEach(clearInterval);
    const grace = Promise.withResolvers<void>();
    const timer = setTimeout(grace.resolve, graceMs);
    await Promise.race([grace.promise, this.settled()]);
    clearTimeout(timer);
    this.isAbandoned = true;
  }

  private async reported(task: () => Promise<unknown>): Promise<void> {
    try {
      await task();
    } catch (error) {
      if (!this.isAbandoned && error !== this.signal.reason) this.failed(error);
    }
  }
}
