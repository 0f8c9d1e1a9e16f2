import { Database } from "bun:sqlite";
import { drizzle } from "drizzle-orm/bun-sqlite";
import type { SqliteRemoteDatabase } from "drizzle-orm/sqlite-proxy";
import { watchChanges } from "./sqlite/change-counter";
import { retryWhileBusy } from "./sqlite/retry";
import { WriteQueue } from "./sqlite/write-queue";

/**
 * Drizzle's asynchronous SQLite database. Embedded SQLite answers at once, and awaiting costs it a microtask; but whoever
 * awaits every statement can also be served by a database elsewhere.
 */
export type Orm = SqliteRemoteDatabase<Record<string, never>>;
export type Db = Awaited<ReturnType<typeof openEngine>>;

/**
 * Opens the database at `path`. Every function of the subjects takes the `Db` as its first argument and returns a
 * promise. Reads see the last commit; an acknowledged write survives a power failure (see write-queue.ts).
 *
 * @param path a file, or ":memory:"
 * @param prepare brings the tables to the schema of this program, before anything reads them
 */
export async function openEngine(path: string, prepare: (sqlite: Database) => Promise<void>) {
  const { sqlite, orm } = connect(path);
  await retryWhileBusy(() => configure(sqlite), 30_000); // another process may be starting or closing at this moment
  await prepare(sqlite);

  const changes = watchChanges(sqlite);
  const queue = new WriteQueue(sqlite, orm, changes);

  return {
    /** Runs `query` on the committed data. It may await statements only, not another `read` or `write`. */
    read: <T>(query: (orm: Orm) => T): Promise<Awaited<T>> => queue.read(query),
    write: <T>(work: (orm: Orm) => T): Promise<Awaited<T>> => queue.write(work),
    /** Whether several processes, perhaps on several machines, work on this database. */
    isShared: false as boolean,
    /**
     * Returns a different number after every change, by any process. While it stays the same, everything read before is
     * still current.
     */
    changeCounter: changes.changeCounter,
    /** Returns how often a topic was changed and when last, as of the last commit; undefined if it is unknown. */
    topic: changes.topic,
    settled: () => queue.settled(),
    /** Checkpoints the write-ahead log into the database file and closes it. */
    async close() {
      await queue.settled();
      sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
      sqlite.close();
    },
    sqlite,
  };
}

function connect(path: string) {
  const sqlite = new Database(path, { create: true, strict: true });
  return { sqlite, orm: drizzle(sqlite, { casing: "snake_case" }) as unknown as Orm };
}

function configure(sqlite: Database) {
  sqlite.run("PRAGMA busy_timeout = 5"); // it blocks the event loop; longer waits are in retry.ts
  sqlite.run("PRAGMA journal_mode = WAL");
  sqlite.run("PRAGMA synchronous = FULL");
  sqlite.run("PRAGMA foreign_keys = ON");
  sqlite.run("PRAGMA trusted_schema = OFF");
  sqlite.run("PRAGMA cache_size = -32768"); // 32 MiB
  sqlite.run("PRAGMA journal_size_limit = 67108864");
}

/**
 * Compiles a statement once per database: building one takes Drizzle twenty times longer than SQLite needs to run it.
 */
export function prepared<T>(build: (orm: Orm) => T): (orm: Orm) => T {
  const compiled = new WeakMap<Orm, T>();
  return (orm) => {
    let statement = compiled.get(orm);
    if (!statement) compiled.set(orm, (statement = build(orm)));
    return statement;
  };
}
