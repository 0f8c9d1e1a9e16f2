import type { Database } from "bun:sqlite";
import { retryWhileBusy } from "./lock";

const lockTimeoutMs = 3_000; // how long a write waits for another process to release the database
const ownLockTimeoutMs = 60_000; // for one that works for this process, and will be done soon

/**
 * Queues writes. Those gathered by the end of an event loop turn are committed as one transaction, and each caller is
 * notified once that commit is on disk (D43). A hundred requests thus share one fsync.
 */
export class WriteQueue<Orm> {
  private queue: QueuedWrite<Orm>[] = [];
  private draining: Promise<void> | undefined;
  private batchEnd: Promise<void> | undefined;
  private readers = 0;
  private lastReaderLeft = () => {};
  private ownLocks = 0;

  /** Called when a work awaits something other than its statements, which holds up everyone else. Tests make it fail. */
  static onForeignAwait = () => {};

  constructor(
    private readonly sqlite: Database,
    private readonly orm: Orm,
    private readonly changes: { begun: () => void; committed: () => void },
  ) {}

  /**
   * Runs `query` between two batches. Reads and writes share one connection, so within a batch it would see uncommitted
   * changes.
   */
  async read<T>(query: (orm: Orm) => T): Promise<Awaited<T>> {
    while (this.batchEnd) await this.batchEnd;
    this.readers++;
    try {
      return await query(this.orm);
    } finally {
      if (--this.readers === 0) this.lastReaderLeft();
    }
  }

  /**
   * Runs `work` in the next commit, and resolves once that is on disk. If `work` throws, only its own changes are
   * undone. It must await nothing but its own statements, because everyone else waits for it. It may run twice; the
   * changes of its first run are then undone.
   */
  write<T>(work: (orm: Orm) => T): Promise<Awaited<T>> {
    return new Promise<Awaited<T>>((resolve, reject) => {
      this.queue.push({ work, resolve, reject, since: performance.now() } as QueuedWrite<Orm>);
      this.draining ??= this.drain();
    });
  }

  /** Writes wait longer for the lock while `work` is done, because it is the one that holds it. */
  async lockedFor<T>(work: () => Promise<T>): Promise<T> {
    this.ownLocks++;
    try {
      return await work();
    } finally {
      this.ownLocks--;
    }
  }

  private timeoutMs = (): number => (this.ownLocks ? ownLockTimeoutMs : lockTimeoutMs);

  /** Resolves when no write is waiting. */
  async settled() {
    while (this.draining) await this.draining;
  }

  private async drain() {
    await waitForBatch(() => this.queue.length);
    while (this.queue.length) {
      let batch: QueuedWrite<Orm>[] = [];
      let end = () => {};
      try {
        end = await this.begin(this.queue);
        [batch, this.queue] = [this.queue, []];
        for (const callback of await this.runBatch(batch)) callback();
      } catch (error) {
        if (!batch.length) batch = this.timedOut();
        for (const { reject } of batch) reject(error);
        rollBack(this.sqlite);
      } finally {
        this.batchEnd = undefined;
        end();
      }
    }
    this.draining = undefined;
  }

  /** Commits the batch. Returns what notifies its callers. */
  private async runBatch(batch: QueuedWrite<Orm>[]): Promise<Callback[]> {
    const heldUp = setImmediate(() => WriteQueue.onForeignAwait());
    try {
      this.changes.begun();
      let callbacks = await runTogether(this.sqlite, this.orm, batch);
      if (!callbacks) {
        await this.lock(batch, () => {});
        this.changes.begun();
        callbacks = [];
        for (const waiting of batch) callbacks.push(await runAlone(this.sqlite, this.orm, waiting));
      }
      this.sqlite.run("COMMIT");
      this.changes.committed();
      return callbacks;
    } finally {
      clearImmediate(heldUp);
    }
  }

  /** Begins a batch when no reader is between two statements. Returns a function that lets readers in again. */
  private async begin(queue: QueuedWrite<Orm>[]): Promise<() => void> {
    let end = () => {};
    const close = () => void (this.batchEnd = new Promise((resolve) => (end = resolve)));
    while (!(await this.lock(queue, close))) await new Promise<void>((resolve) => (this.lastReaderLeft = resolve));
    return end;
  }

  /**
   * Acquires the write lock, waiting no longer than the oldest queued write may wait.
   *
   * @param locked is called in the same turn @returns false, without the lock, if a read is in progress
   */
  private lock([first]: QueuedWrite<Orm>[], locked: () => void): Promise<boolean> {
    const waited = performance.now() - (first?.since ?? 0);
    const begin = () => {
      if (this.readers) return false;
      this.sqlite.run("BEGIN IMMEDIATE");
      locked();
      return true;
    };
    return retryWhileBusy(begin, () => this.timeoutMs() - waited);
  }

  /** Removes the first write, and all others that have waited long enough, from the queue. */
  private timedOut(): QueuedWrite<Orm>[] {
    const since = performance.now() - this.timeoutMs();
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

/** A write that waits for its turn. */
type QueuedWrite<Orm> = {
  work: (orm: Orm) => unknown;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
  since: number;
};

/**
 * Runs a batch in one transaction. If any work throws, everything is rolled back and undefined is returned; the works
 * are then run one by one, each behind its own savepoint, so that a failure affects no other. Using savepoints from the
 * start would be most of the cost of a batch, because SQLite copies what they may have to undo into a temporary file.
 */
async function runTogether<Orm>(
  sqlite: Database,
  orm: Orm,
  batch: QueuedWrite<Orm>[],
): Promise<Callback[] | undefined> {
  try {
    const callbacks: Callback[] = [];
    for (const { work, resolve } of batch) callbacks.push(resolving(resolve, await work(orm)));
    return callbacks;
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
async function runAlone<Orm>(
  sqlite: Database,
  orm: Orm,
  { work, resolve, reject }: QueuedWrite<Orm>,
): Promise<Callback> {
  sqlite.run("SAVEPOINT one");
  try {
    const value = await work(orm);
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
