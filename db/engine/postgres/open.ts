import type { ReservedSQL, SQL } from "bun";
import type { Db, Orm } from "../open";
import { ormOver } from "./dialect";
import { codeOf } from "./errors";
import { type Topics, watchTopics } from "./topics";
import { type Transactions, transactionsOn } from "./transaction";

const timeouts = { statement_timeout: 10_000, lock_timeout: 3_000, idle_in_transaction_session_timeout: 10_000 };

/**
 * Opens a database of PostgreSQL, or of what speaks its protocol, for any number of processes at the same time.
 *
 * @param max connections of this process
 * @param prepare brings the tables to the schema of this program, before anything reads them
 */
export async function openPostgres(url: string, prepare: (pool: SQL) => Promise<void>, max = 10): Promise<Db> {
  const connection = { application_name: "postroom", ...timeouts };
  const pool = new Bun.SQL(url, { max, bigint: true, idleTimeout: 60, connectionTimeout: 3, connection });
  try {
    await prepare(pool);
    await checkLocale(pool);
    return await databaseOn(pool);
  } catch (error) {
    await pool.close({ timeout: 0 });
    throw error;
  }
}

async function databaseOn(pool: SQL) {
  const retries = new Map<string, number>();
  const topics = watchTopics(pool);
  const { run } = transactionsOn(pool, (error) => {
    const code = codeOf(error);
    retries.set(code, (retries.get(code) ?? 0) + 1);
  });
  const reader = ormOver((text, params) => pool.unsafe(text, params).values());
  const { write, settled } = writesBy(run, topics);

  async function read<T>(query: (orm: Orm) => T, how?: { oneMoment: true }): Promise<Awaited<T>> {
    if (how) return run("begin isolation level repeatable read, read only", query);
    return await query(reader);
  }

  await topics.fresh();
  const known = await migrationsIn(pool);
  return {
    ...{ read, write, settled, isShared: true, pool, file: undefined },
    statistics: { retries, questions: topics.questions },
    ...{ changeCounter: topics.changeCounter, topic: topics.topic, fresh: topics.fresh },
    probe: async () => {
      if ((await migrationsIn(pool)) > known) throw new Error("A newer Postroom has migrated the database.");
    },
    async close() {
      await settled();
      await pool.close({ timeout: 1 });
    },
  };
}

/** Counts migrations. A number for a transaction is given out by a server that can write, and by no other. */
async function migrationsIn(pool: SQL): Promise<number> {
  const [row]: [bigint][] = await pool.unsafe("select count(*), pg_current_xact_id() from migrations", []).values();
  return Number(row?.[0]);
}

function writesBy(run: Transactions["run"], topics: Topics) {
  /** What this process wrote is known to it when the write resolves: the question travels with the commit. */
  const after = (connection: ReservedSQL) => topics.ask(connection).catch(() => undefined);
  const serializable = <T>(work: (orm: Orm) => T, since: number) =>
    run("begin isolation level serializable", work, { after, since });
  const guarded = <T>(work: (orm: Orm) => T) => run("begin isolation level read committed", work);
  const inTurn = oneByOne(); // serializable works of one process would only make each other run again
  const writes = new Set<Promise<unknown>>();

  function write<T>(work: (orm: Orm) => T, how?: { guarded: true }): Promise<Awaited<T>> {
    const since = performance.now();
    const writing = how ? guarded(work) : inTurn(() => serializable(work, since));
    const done = () => void writes.delete(writing);
    writes.add(writing);
    writing.then(done, done);
    return writing;
  }

  return { write, settled: async () => void (await Promise.allSettled(writes)) };
}

/** Runs each function when the one before has ended. */
function oneByOne() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(run: () => Promise<T>): Promise<T> => {
    const mine = last.then(run);
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** In the locale C only ASCII has letters, and a text is found by the runs of its letters (pg_trgm). */
async function checkLocale(pool: SQL) {
  const [runs]: [number][] = await pool.unsafe("select cardinality(show_trgm('öl'))", []).values();
  if (runs?.[0] !== 3)
    throw new Error(
      "The database's LC_CTYPE knows no letters beyond ASCII. Create the database with LC_CTYPE C.UTF-8.",
    );
}
