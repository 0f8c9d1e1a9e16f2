import { Database } from "bun:sqlite";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { watchChanges } from "./change-counter";
import { migrate } from "../ops/migrate";
import { patiently } from "./retry";

export type Orm = ReturnType<typeof connect>["orm"];
export type Db = Awaited<ReturnType<typeof openDb>>;

type Waiting = {
  work: (orm: Orm) => unknown;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
  since: number;
};

const patience = 3_000; // milliseconds that a write waits for another process to let go of the database

/**
 * Opens the database at `path`, migrated to this program's schema.
 *
 * Every verb in this folder takes the `Db` first and returns a promise. Reads answer from the last commit. Writes queue
 * up; whatever has gathered when the event loop turns is committed as one transaction, and each caller is answered
 * after that commit reached the disk (D43). So a hundred requests share one fsync, and an acknowledged write survives
 * a power cut.
 *
 * @param path a file, or ":memory:"
 * @param copyBeforeMigration where a copy goes before an existing database is migrated
 */
export async function openDb(path: string, copyBeforeMigration?: string) {
  const { sqlite, orm } = connect(path);
  await patiently(() => tune(sqlite), 30_000); // another process may be starting, or closing, at this moment
  await migrate(sqlite, copyBeforeMigration);

  const { generation, committed } = watchChanges(sqlite);
  let queue: Waiting[] = [];
  let draining: Promise<void> | undefined;

  /** Runs `query` now, on what is committed. */
  const read = async <T>(query: (orm: Orm) => T): Promise<T> => query(orm);

  /** The same without a promise, for what is asked a hundred thousand times a second. */
  const peek = <T>(query: (orm: Orm) => T): T => query(orm);

  /**
   * Runs `work` inside the next commit and answers once that is on disk. A `work` that throws is undone alone; its
   * neighbours stay. It must be synchronous, and may run twice: what it did to the database the first time is undone.
   */
  const write = <T>(work: (orm: Orm) => T): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      queue.push({ work, resolve, reject, since: performance.now() } as Waiting);
      draining ??= drain();
    });

  async function drain() {
    await gather();
    while (queue.length) {
      let batch: Waiting[] = [];
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
        if (!batch.length) batch = impatient();
        for (const { reject } of batch) reject(error);
        undo(sqlite);
      }
    }
    draining = undefined;
  }

  /** Waits for as long as each turn of the event loop brings more: what comes together is committed together. */
  async function gather() {
    for (let gathered = 0; queue.length > gathered;) {
      gathered = queue.length;
      await new Promise((turn) => setImmediate(turn));
    }
  }

  /** Takes the write lock, for as long as the first one has patience. */
  function begin([first]: Waiting[]): Promise<void> {
    const waited = performance.now() - (first?.since ?? 0);
    return patiently(() => void sqlite.run("BEGIN IMMEDIATE"), patience - waited);
  }

  /** Takes the first one, and all others that have waited long enough, out of the queue. */
  function impatient(): Waiting[] {
    const since = performance.now() - patience;
    const stay = queue.findIndex((one, index) => index > 0 && one.since > since);
    return queue.splice(0, stay < 0 ? queue.length : stay);
  }

  return {
    read,
    peek,
    write,
    /** Another number after every change, this process's or another's. While it stays, what was read is still true. */
    generation,
    /** Resolves when nothing waits to be written. */
    settled: async () => {
      while (draining) await draining;
    },
    /** Writes the log back into the database file and lets go of it. */
    async close() {
      while (draining) await draining;
      sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
      sqlite.close();
    },
    sqlite,
  };
}

function connect(path: string) {
  const sqlite = new Database(path, { create: true, strict: true });
  return { sqlite, orm: drizzle(sqlite, { casing: "snake_case" }) };
}

function tune(sqlite: Database) {
  sqlite.run("PRAGMA busy_timeout = 5"); // it stops the event loop: longer waits are ours, in retry.ts
  sqlite.run("PRAGMA journal_mode = WAL");
  sqlite.run("PRAGMA synchronous = FULL");
  sqlite.run("PRAGMA foreign_keys = ON");
  sqlite.run("PRAGMA trusted_schema = OFF");
  sqlite.run("PRAGMA cache_size = -32768"); // 32 MiB
  sqlite.run("PRAGMA journal_size_limit = 67108864");
}

/**
 * Does all of a batch in one transaction. When a work throws, all are undone, to be done again one by one, each behind a
 * savepoint of its own, so that one failure is nobody else's; undefined then. Savepoints from the start would be most of
 * the cost of a batch: what they may have to undo is copied into a temporary file.
 */
function together(sqlite: Database, orm: Orm, batch: Waiting[]): Answer[] | undefined {
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
function alone(sqlite: Database, orm: Orm, { work, resolve, reject }: Waiting): Answer {
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

/** A statement compiled once for each database: drizzle takes twenty times longer to build one than SQLite to run it. */
export function prepared<T>(build: (orm: Orm) => T): (orm: Orm) => T {
  const compiled = new WeakMap<Orm, T>();
  return (orm) => {
    let statement = compiled.get(orm);
    if (!statement) compiled.set(orm, (statement = build(orm)));
    return statement;
  };
}
