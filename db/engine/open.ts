import { type SQL, sql } from "drizzle-orm";
import type { SqliteRemoteDatabase } from "drizzle-orm/sqlite-proxy";

/**
 * Drizzle's asynchronous SQLite database, used for both engines. Embedded SQLite responds immediately, and awaiting
 * costs a microtask. PostgreSQL understands the same SQL, with a few replacements (postgres/dialect.ts).
 */
export type Orm = SqliteRemoteDatabase<Record<string, never>>;

/** How often a topic has changed, and when it changed last. */
export type TopicVersion = { version: number; changedAt: Date };

export type SharedStatistics = {
  /** How often transactions were retried, by SQLSTATE. */
  retries: ReadonlyMap<string, number>;
  /** How often the versions of all topics were queried, and how many milliseconds that took. */
  questions: () => { count: number; milliseconds: number };
  /** How many statements and transactions have a connection, or wait for one. */
  inUse: () => number;
};

/**
 * The database. Every function of the subjects takes it as its first argument and returns a promise. Reads see the last
 * commit; an acknowledged write survives a power failure.
 */
export type Db = {
  /**
   * Runs `query` on the committed data. It may await only its own statements, not another `read` or `write`. Each may
   * see a later state than the previous one; nothing needs one snapshot.
   */
  read<T>(query: (orm: Orm) => T): Promise<Awaited<T>>;
  /**
   * Runs `work` in a transaction as if it were alone. It may await only its own statements. It may run several times;
   * the changes of all but the last run are undone.
   *
   * @param guarded the rows that `work` changes, by an upsert or a conditional update, are enough to keep others out,
   * so other transactions may run at the same time (docs/decisions/postgres.md)
   */
  write<T>(work: (orm: Orm) => T, how?: { guarded: true }): Promise<Awaited<T>>;
  /**
   * Returns a different number after every change of a topic, by any process. While it stays the same, everything read
   * from topics earlier is current.
   */
  changeCounter(): number;
  /**
   * Returns how often a topic has changed and when last, as far as this process knows; undefined if there is no such
   * topic.
   */
  topic(name: string): TopicVersion | undefined;
  /**
   * Resolves once everything that any process committed before this call is known to `changeCounter` and `topic`, which
   * know this process's own commits anyway. If the database does not respond, it rejects, and every version changes, so
   * that nothing cached is trusted.
   */
  fresh(): Promise<void>;
  /** Whether several processes, perhaps on several machines, share this database. */
  readonly isShared: boolean;
  /**
   * Commits a change without meaning. Rejects if the database cannot be written, or if a newer version of the program
   * has migrated it since it was opened.
   */
  probe(): Promise<void>;
  /** The costs of a shared database so far. */
  readonly statistics?: SharedStatistics;
  /**
   * Runs `work`, for which another process keeps the embedded file locked. Writes wait for it for a minute, not only
   * for as long as for a stranger.
   */
  lockedFor<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when no write is waiting. */
  settled(): Promise<void>;
  close(): Promise<void>;
  /** The file of the embedded database; undefined if it is in memory or elsewhere. */
  readonly file: string | undefined;
};

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

/**
 * A text that a prepared join compares a column with. SQLite plans a join anew each time a bare parameter of it
 * changes, which takes sixty times longer than running it.
 */
export const textParameter = (name: string): SQL => sql`cast(${sql.placeholder(name)} as text)`;

/**
 * The same database for long work in many transactions: after the signal, the next one is refused with the signal's
 * reason. One that has begun is finished.
 */
export function stoppable(db: Db, signal: AbortSignal): Db {
  const unlessStopped = <T>(begin: () => Promise<T>): Promise<T> =>
    signal.aborted ? Promise.reject(signal.reason) : begin();
  return {
    ...db,
    read: (query) => unlessStopped(() => db.read(query)),
    write: (work, how) => unlessStopped(() => db.write(work, how)),
  };
}
