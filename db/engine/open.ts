import type { SqliteRemoteDatabase } from "drizzle-orm/sqlite-proxy";

/**
 * Drizzle's asynchronous SQLite database, for both engines. Embedded SQLite answers at once, and awaiting costs it a
 * microtask. PostgreSQL reads the same SQL, but for a few words (postgres/dialect.ts).
 */
export type Orm = SqliteRemoteDatabase<Record<string, never>>;

/** How often a topic was changed, and when last. */
export type TopicVersion = { version: number; changedAt: Date };

export type SharedStatistics = {
  /** How often works were run again, by SQLSTATE. */
  retries: ReadonlyMap<string, number>;
  /** How often the versions of all topics were asked for, and how many milliseconds that took. */
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
   * Runs `query` on the committed data. It may await statements only, not another `read` or `write`.
   *
   * @param oneMoment all statements see the same moment; otherwise each may see a later one than the statement before
   */
  read<T>(query: (orm: Orm) => T, how?: { oneMoment: true }): Promise<Awaited<T>>;
  /**
   * Runs `work` in a transaction as if it were alone. It may await statements only. It may run several times; the
   * changes of all but the last run are undone.
   *
   * @param guarded the rows that `work` changes are enough to keep others out, by an upsert or a condition of an
   * update: other works may run at the same time
   */
  write<T>(work: (orm: Orm) => T, how?: { guarded: true }): Promise<Awaited<T>>;
  /**
   * Returns a different number after every change of a topic, by any process. While it stays the same, everything read
   * of topics before is still current.
   */
  changeCounter(): number;
  /** Returns how often a topic was changed and when last, as far as it is known; undefined if there is no such topic. */
  topic(name: string): TopicVersion | undefined;
  /**
   * Resolves when everything that any process committed before this call is known to `changeCounter` and `topic`,
   * which know what this process committed anyway. If the database does not answer, it rejects, and every version is
   * another one: nothing that was remembered may be trusted.
   */
  fresh(): Promise<void>;
  /** Whether several processes, perhaps on several machines, work on this database. */
  readonly isShared: boolean;
  /**
   * Commits something without meaning. Rejects if the database cannot be written, or if a newer version of the program
   * has migrated it since it was opened.
   */
  probe(): Promise<void>;
  /** What a shared database cost so far. */
  readonly statistics?: SharedStatistics;
  /** Resolves when no write is waiting. */
  settled(): Promise<void>;
  close(): Promise<void>;
  /** Where the embedded database is; undefined if it is in memory or elsewhere. */
  readonly file: string | undefined;
};

/** Compiles a statement once per database: building one takes Drizzle twenty times longer than SQLite needs to run it. */
export function prepared<T>(build: (orm: Orm) => T): (orm: Orm) => T {
  const compiled = new WeakMap<Orm, T>();
  return (orm) => {
    let statement = compiled.get(orm);
    if (!statement) compiled.set(orm, (statement = build(orm)));
    return statement;
  };
}
