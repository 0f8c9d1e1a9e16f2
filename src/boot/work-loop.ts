import { described, type Log } from "../telemetry/log";

type Work = {
  /** What the log calls it: "webhooks failed". */
  name: string;
  /** Done once, before everything else; again if it failed. */
  begin?: () => Promise<unknown>;
  /** What time brings, done before every look of the timer. */
  prepare?: () => Promise<unknown>;
  /** Takes what there is to do now, and begins it with `add`. */
  take: () => Promise<unknown>;
};

const lookEveryMs = 1_000;

/** The loop of a background worker: looks every second and after every task, one look at a time, and never throws. */
export class WorkLoop {
  private readonly tasks = new Set<Promise<void>>();
  private timer: Timer | undefined;
  private wakeTimer: Timer | undefined;
  private begun: Promise<unknown> | undefined;
  private taking: Promise<void> | undefined;
  private isWanted = false;
  isClosed = false;

  constructor(
    private readonly log: Log,
    private readonly work: Work,
  ) {}

  /** How many tasks are in work. */
  get size(): number {
    return this.tasks.size;
  }

  start(everyMs = lookEveryMs): void {
    this.timer = setInterval(() => void this.tick(), everyMs);
  }

  /** Adds a task that was begun and never rejects. The loop looks again when it ends. */
  add(task: Promise<unknown>): void {
    const done = task.then(() => {
      this.tasks.delete(done);
      void this.look();
    });
    this.tasks.add(done);
  }

  /** Looks again after this time, if that is before the timer does. */
  wakeIn(milliseconds: number): void {
    clearTimeout(this.wakeTimer);
    const isSooner = this.timer !== undefined && milliseconds < lookEveryMs;
    if (isSooner) this.wakeTimer = setTimeout(() => void this.look(), Math.max(milliseconds, 1));
  }

  /** Does all that can be done now, and waits for it. For tests. */
  async drain(): Promise<void> {
    do {
      await this.tick();
      await this.ended();
    } while (this.size);
  }

  /** Waits for the tasks in work. */
  async ended(): Promise<void> {
    await Promise.all(this.tasks);
    await this.taking; // begun by those that have just ended
  }

  /** Takes no more, and waits for the tasks in work, but not longer than `graceMs`. */
  async close(graceMs = 2_000): Promise<void> {
    this.isClosed = true;
    clearInterval(this.timer);
    await this.taking;
    clearTimeout(this.wakeTimer);
    const grace = Promise.withResolvers<void>();
    const graceTimer = setTimeout(grace.resolve, graceMs);
    await Promise.race([grace.promise, this.ended()]);
    clearTimeout(graceTimer);
  }

  private async tick(): Promise<void> {
    if (this.isClosed) return;
    try {
      await (this.begun ??= this.begin());
      await this.work.prepare?.();
    } catch (error) {
      this.failed(error);
    }
    await this.look();
  }

  private async begin(): Promise<void> {
    try {
      await this.work.begin?.();
    } catch (error) {
      this.begun = undefined;
      throw error;
    }
  }

  /** Takes what there is. One call at a time; another in the meantime makes it look again. */
  private look(): Promise<void> {
    this.isWanted = true;
    return (this.taking ??= this.take());
  }

  private async take(): Promise<void> {
    try {
      while (this.isWanted && !this.isClosed) {
        this.isWanted = false;
        await this.work.take();
      }
    } catch (error) {
      this.failed(error);
    } finally {
      this.taking = undefined; // now: a call that joined an ended look would be forgotten
    }
  }

  private failed(error: unknown): void {
    this.log.error(`${this.work.name} failed`, described(error));
  }
}
