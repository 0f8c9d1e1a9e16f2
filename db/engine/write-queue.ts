import type { Database } from "bun:sqlite";
import { retryWhileBusy } from "./retry";

type QueuedWrite<Orm> = {
  work: (orm: Orm) => unknown;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
  since: number;
};

const lockTimeoutMs = 3_000; // how long a write waits for another process to release the database

/**
 * Queues writes. Those gathered by the end of an event loop turn are committed as one transaction, and each caller is
 * notified once that commit is on disk (D43). A hundred requests thus share one fsync.
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
   * Runs `work` in the next commit, and resolves once that is on disk. If `work` throws, only its own changes are
   * undone. It must be synchronous, and may run twice; its first run's changes to the database are undone.
   */
  write<T>(work: (orm: Orm) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.queue.push({ work, resolve, reject, since: performance.now() } as QueuedWrite<Orm>);
      this.draining ??= this.drain();
    });
  }

  /** Resolves when no write is waiting. */
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

  /** Acquires the write lock, waiting no longer than the oldest queued write may wait. */
  private begin([first]: QueuedWrite<Orm>[]): Promise<void> {
    const waited = performance.now() - (first?.since ?? 0);
    return retryWhileBusy(() => void this.sqlite.run("BEGIN IMMEDIATE"), lockTimeoutMs - waited);
  }

  /** Removes the first write, and all others that have waited long enough, from the queue. */
  private timedOut(): QueuedWrite<Orm>[] {
    const since = performance.now() - lockTimeoutMs;
    const firstRemaining = this.queue.findIndex((one, index) => index > 0 && one.since > since);
    return this.queue.splice(0, firstRemaining < 0 ? this.queue.length : firstRemaining);
  }
}

/**
 * Waits as long as each turn of the event loop brings more writes, so that simultaneous writes are committed together.
 */
async function waitForBatch(size: () => number) {
  for (let before = 0; size() > before;) {
    before = size();
    await new Promise((turn) => setImmediate(turn));
  }
}

/**
 * Runs a batch in one transaction. If any work throws, everything is rolled back and undefined is returned; the works
 * are then run one by one, each behind its own savepoint, so that a failure affects no other. Using savepoints from the
 * start would be most of the cost of a batch, because SQLite copies what they may have to undo into a temporary file.
 */
function runTogether<Orm>(sqlite: Database, orm: Orm, batch: QueuedWrite<Orm>[]): Callback[] | undefined {
  try {
    return batch.map(({ work, resolve }) => resolving(resolve, work(orm)));
  } catch (error) {
    if (!sqlite.inTransaction) throw error; // a full disk aborts the whole transaction
    sqlite.run("ROLLBACK");
    return undefined;
  }
}

/** Resolves or rejects a write once its transaction is committed. */
type Callback = () => void;
const resolving =
  <T>(resolve: (value: never) => void, value: T): Callback =>
  () =>
    resolve(value as never);

/** Runs one work so that its failure undoes nothing else. */
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

/** The failure may already have ended the transaction, or the whole connection. */
function rollBack(sqlite: Database) {
  try {
    if (sqlite.inTransaction) sqlite.run("ROLLBACK");
  } catch {
    // closed: there is nothing to roll back
  }
}
