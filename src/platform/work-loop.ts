import { Background } from "../../db/async/background";
import { described, type Log } from "./log";

type Work = {
  /** Its name in the log, as in "webhooks failed". */
  name: string;
  /** Whether this process may take tasks now: not while it is older than the schema. Asked before each look. */
  mayTake: () => Promise<boolean>;
  /** Runs once, before everything else, and is repeated until it succeeds. */
  begin?: () => Promise<unknown>;
  /** Runs before each look that the timer starts, for what is due by time. */
  prepare?: () => Promise<unknown>;
  /** Takes the tasks that are due now, and passes each to `add`. */
  take: () => Promise<unknown>;
};

const lookEveryMs = 1_000;

/**
 * The loop of a background worker: looks for tasks every second and after each task, one look at a time. Never throws.
 */
export class WorkLoop {
  private readonly tasks = new Set<Promise<void>>();
  private readonly ticks = new Background((error) => this.failed(error));
  private isStarted = false;
  private wakeTimer: Timer | undefined;
  private begun: Promise<unknown> | undefined;
  private taking: Promise<void> | undefined;
  private isWanted = false;
  isClosed = false;

  constructor(
    private readonly log: Log,
    private readonly work: Work,
  ) {}

  /** How many tasks are running. */
  get size(): number {
    return this.tasks.size;
  }

  start(everyMs = lookEveryMs): void {
    this.isStarted = true;
    this.ticks.every(everyMs, () => this.tick());
  }

  /** Adds a running task, which must never reject. The loop looks again when it ends. */
  add(task: Promise<unknown>): void {
    const done = task.then(() => {
      this.tasks.delete(done);
      void this.look();
    });
    this.tasks.add(done);
  }

  /** Looks again after this time, if that is earlier than the timer. */
  wakeIn(milliseconds: number): void {
    clearTimeout(this.wakeTimer);
    const isSooner = this.isStarted && milliseconds < lookEveryMs;
    if (isSooner) this.wakeTimer = setTimeout(() => void this.look(), Math.max(milliseconds, 1));
  }

  /** Does everything that can be done now, and waits for it. For tests. */
  async drain(): Promise<void> {
    do {
      await this.tick();
      await this.ended();
    } while (this.size);
  }

  /** Waits for the running tasks. */
  async ended(): Promise<void> {
    await Promise.all(this.tasks);
    await this.taking; // started by those that have just ended
  }

  /** Takes no more tasks, and waits for the running ones, but no longer than `graceMs`. */
  async close(graceMs = 2_000): Promise<void> {
    this.isClosed = true;
    await this.ticks.close(graceMs);
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
      if (await this.work.mayTake()) {
        await (this.begun ??= this.begin());
        await this.work.prepare?.();
      }
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

  /** Takes the tasks that are due. One call at a time; a call during another one makes it look again. */
  private look(): Promise<void> {
    this.isWanted = true;
    return (this.taking ??= this.take());
  }

  private async take(): Promise<void> {
    try {
      while (this.isWanted && !this.isClosed) {
        this.isWanted = false;
        if (await this.work.mayTake()) await this.work.take();
      }
    } catch (error) {
      this.failed(error);
    } finally {
      this.taking = undefined; // now, because a call that joined a finished look would be lost
    }
  }

  private failed(error: unknown): void {
    this.log.error(`${this.work.name} failed`, described(error));
  }
}
