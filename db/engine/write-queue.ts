import type { Database } from "bun:sqlite";
import { retryWhileBusy } from "./retry";

type Waiting<Orm> = {
  work: (orm: Orm) => unknown;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
  since: number;
};

const lockTimeoutMs = 3_000; // that a write waits for another process to let go of the database

/**
 * Writes queue up; whatever has gathered when the event loop turns is committed as one transaction, and each caller is
 * answered after that commit reached the disk (D43). So a hundred requests share one fsync.
 *
 * @param committed is called after each commit
 */
export function writeQueue<Orm>(sqlite: Database, orm: Orm, committed: () => void) {
  let queue: Waiting<Orm>[] = [];
  let draining: Promise<void> | undefined;

  /**
   * Runs `work` inside the next commit and answers once that is on disk. A `work` that throws is undone alone; its
   * neighbours stay. It must be synchronous, and may run twice: what it did to the database the first time is undone.
   */
  const write = <T>(work: (orm: Orm) => T): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      queue.push({ work, resolve, reject, since: performance.now() } as Waiting<Orm>);
      draining ??= drain();
    });

  async function drain() {
    await gathered(() => queue.length);
    while (queue.length) {
      let batch: Waiting<Orm>[] = [];
      try {
        await begin(queue);
        [batch, queue] = [queue, []];
        let answers = together(sqlite, orm, batch);
        if (!answers) {
          await begin(batch);
          answers = batch.map((waiting) => alone(sqlite, orm, waiting));
        }
        sqlite.run("COMMIT");
        committed();
        for (const tell of answers) tell();
      } catch (error) {
        if (!batch.length) batch = timedOut();
        for (const { reject } of batch) reject(error);
        undo(sqlite);
      }
    }
    draining = undefined;
  }

  /** Takes the write lock, for as long as the first one may wait. */
  function begin([first]: Waiting<Orm>[]): Promise<void> {
    const waited = performance.now() - (first?.since ?? 0);
    return retryWhileBusy(() => void sqlite.run("BEGIN IMMEDIATE"), lockTimeoutMs - waited);
  }

  /** Takes the first one, and all others that have waited long enough, out of the queue. */
  function timedOut(): Waiting<Orm>[] {
    const since = performance.now() - lockTimeoutMs;
    const stay = queue.findIndex((one, index) => index > 0 && one.since > since);
    return queue.splice(0, stay < 0 ? queue.length : stay);
  }

  return {
    write,
    /** Resolves when nothing waits to be written. */
    settled: async () => {
      while (draining) await draining;
    },
  };
}

/** Waits for as long as each turn of the event loop brings more: what comes together is committed together. */
async function gathered(size: () => number) {
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
function together<Orm>(sqlite: Database, orm: Orm, batch: Waiting<Orm>[]): Answer[] | undefined {
  try {
    return batch.map(({ work, resolve }) => answer(resolve, work(orm)));
  } catch (error) {
    if (!sqlite.inTransaction) throw error; // a full disk takes the whole transaction with it
    sqlite.run("ROLLBACK");
    return undefined;
  }
}

type Answer = () => void;
const answer =
  <T>(tell: (value: never) => void, value: T): Answer =>
  () =>
    tell(value as never);

/** Does one work so that its failure undoes nothing else. */
function alone<Orm>(sqlite: Database, orm: Orm, { work, resolve, reject }: Waiting<Orm>): Answer {
  sqlite.run("SAVEPOINT one");
  try {
    const value = work(orm);
    sqlite.run("RELEASE one");
    return answer(resolve, value);
  } catch (error) {
    if (!sqlite.inTransaction) throw error;
    sqlite.run("ROLLBACK TO one");
    sqlite.run("RELEASE one");
    return () => reject(error);
  }
}

/** What failed may have taken the transaction with it, or the whole connection. */
function undo(sqlite: Database) {
  try {
    if (sqlite.inTransaction) sqlite.run("ROLLBACK");
  } catch {
    // closed: there is nothing to undo
  }
}
