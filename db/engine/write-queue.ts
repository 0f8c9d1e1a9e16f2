import type { Database } from "bun:sqlite";
import { retryWhileBusy } from "./retry";

type QueuedWrite<Orm> = {
  work: (orm: Orm) => unknown;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
  since: number;
};

const lockTimeoutMs = 3_000; // that a write waits for another process to let go of the database

/**
 * Writes queue up; whatever has gathered when the event loop turns is committed as one transaction, and each caller is
 * answered after that commit reached the disk (D43). So a hundred requests share one fsync.
 */
export class WriteQueue<Orm> {
  private queue: QueuedWrite<Orm>[] = [];
  private draining: Promise<void> | undefined;

  /** @param committed is called after each commit */
  constructor(
    private readonly sqlite: Database,
    private readonly orm: Orm,
    private readonly committed: () => void,
  ) {}

  /**
   * Runs `work` inside the next commit and answers once that is on disk. A `work` that throws is undone alone; its
   * neighbours stay. It must be synchronous, and may run twice: what it did to the database the first time is undone.
   */
  write<T>(work: (orm: Orm) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.queue.push({ work, resolve, reject, since: performance.now() } as QueuedWrite<Orm>);
      this.draining ??= this.drain();
    });
  }

  /** Resolves when nothing waits to be written. */
  async settled() {
    while (this.draining) await this.draining;
  }

  private async drain() {
    await waitForBatch(() => this.queue.length);
    while (this.queue.length) {
      let batch: QueuedWrite<Orm>[] = [];
      try {
        await this.begin(this.queue);
        [batch, this.queue] = [this.queue, []];
        let callbacks = runTogether(this.sqlite, this.orm, batch);
        if (!callbacks) {
          await this.begin(batch);
          callbacks = batch.map((waiting) => runAlone(this.sqlite, this.orm, waiting));
        }
        this.sqlite.run("COMMIT");
        this.committed();
        for (const callback of callbacks) callback();
      } catch (error) {
        if (!batch.length) batch = this.timedOut();
        for (const { reject } of batch) reject(error);
        rollBack(this.sqlite);
      }
    }
    this.draining = undefined;
  }

  /** Takes the write lock, for as long as the first one may wait. */
  private begin([first]: QueuedWrite<Orm>[]): Promise<void> {
    const waited = performance.now() - (first?.since ?? 0);
    return retryWhileBusy(() => void this.sqlite.run("BEGIN IMMEDIATE"), lockTimeoutMs - waited);
  }

  /** Takes the first one, and all others that have waited long enough, out of the queue. */
  private timedOut(): QueuedWrite<Orm>[] {
    const since = performance.now() - lockTimeoutMs;
    const firstRemaining = this.queue.findIndex((one, index) => index > 0 && one.since > since);
    return this.queue.splice(0, firstRemaining < 0 ? this.queue.length : firstRemaining);
  }
}

/** Waits for as long as each turn of the event loop brings more: what comes together is committed together. */
async function waitForBatch(size: () => number) {
  for (let before = 0; size() > before;) {
    before = size();
    await new Promise((turn) => setImmediate(turn));
  }
}

/**
 * Does all of a batch in one transaction. When a work throws, all are undone, to be done again one by one, each behind a
 * savepoint of its own, so that one failure is nobody else's; undefined then. Savepoints from the start would be most of
 * the cost of a batch: what they may have to undo is copied into a temporary file.
 */
function runTogether<Orm>(sqlite: Database, orm: Orm, batch: QueuedWrite<Orm>[]): Callback[] | undefined {
  try {
    return batch.map(({ work, resolve }) => resolving(resolve, work(orm)));
  } catch (error) {
    if (!sqlite.inTransaction) throw error; // a full disk takes the whole transaction with it
    sqlite.run("ROLLBACK");
    return undefined;
  }
}

/** Tells the caller of a write how it ended, once its transaction is committed. */
type Callback = () => void;
const resolving =
  <T>(resolve: (value: never) => void, value: T): Callback =>
  () =>
    resolve(value as never);

/** Does one work so that its failure undoes nothing else. */
function runAlone<Orm>(sqlite: Database, orm: Orm, { work, resolve, reject }: QueuedWrite<Orm>): Callback {
  sqlite.run("SAVEPOINT one");
  try {
    const value = work(orm);
    sqlite.run("RELEASE one");
    return resolving(resolve, value);
  } catch (error) {
    if (!sqlite.inTransaction) throw error;
    sqlite.run("ROLLBACK TO one");
    sqlite.run("RELEASE one");
    return () => reject(error);
  }
}

/** What failed may have taken the transaction with it, or the whole connection. */
function rollBack(sqlite: Database) {
  try {
    if (sqlite.inTransaction) sqlite.run("ROLLBACK");
  } catch {
    // closed: there is nothing to undo
  }
}
