import type { SQL } from "bun";
import { inTurn } from "../../async/turns";
import { NewerSchema } from "../errors";
import type { Db, Orm } from "../open";
import type { Connections, Send } from "./connections";
import { ormOver } from "./dialect";
import { againIfCut, codeOf } from "./errors";
import { type Topics, watchTopics } from "./topics";
import { type Run, settling, transactionsOn } from "./transaction";

type Prepare = (pool: SQL) => Promise<unknown>;

/**
 * Opens a PostgreSQL database, or one that speaks its protocol, for any number of processes at the same time.
 *
 * @param prepare brings the tables to the schema of this program, before anything reads them
 */
export async function openPostgres(connections: Connections, prepare: Prepare): Promise<Db> {
  try {
    await prepare(connections.pool());
    await checkLocale(connections.send);
    return await databaseOn(connections);
  } catch (error) {
    await connections.close(0);
    throw error;
  }
}

async function databaseOn(connections: Connections) {
  const { send, inUse } = connections;
  const retries = new Map<string, number>();
  const topics = watchTopics(send);
  const run = transactionsOn(connections, (error) => {
    const code = codeOf(error);
    retries.set(code, (retries.get(code) ?? 0) + 1);
  });
  const reader = ormOver(send);
  const read = async <T>(query: (orm: Orm) => T): Promise<Awaited<T>> => await query(reader);
  const { write, settled } = writesBy(run, topics);

  await topics.fresh();
  const migrations = await migrationsIn(send);
  return {
    read,
    write,
    settled,
    isShared: true,
    pool: connections.pool,
    file: undefined,
    statistics: { retries, questions: topics.questions, inUse },
    changeCounter: topics.changeCounter,
    topic: topics.topic,
    fresh: topics.fresh,
    probe: async () => {
      if ((await migrationsIn(send)) > migrations) throw new NewerSchema("A newer Postroom has migrated the database.");
    },
    async close() {
      await settled();
      await connections.close(1);
    },
  };
}

const probe = `update migrations set applied_at = applied_at where name = (select min(name) from migrations)
  returning (select count(*) from migrations)`;

/** Commits a write that changes nothing, and counts the migrations. It may run twice, so it is repeated like a read. */
async function migrationsIn(send: Send): Promise<number> {
  const [row] = await againIfCut(() => send(probe, []));
  return Number(row?.[0]);
}

function writesBy(run: Run, topics: Topics) {
  /** A process knows its own writes when they resolve: this query is sent with the commit. */
  const after = (send: Send) => topics.query(send).catch(() => undefined);
  const alone = inTurn(); // serializable transactions of one process would only make each other run again
  const writes = new Set<Promise<unknown>>();

  function write<T>(work: (orm: Orm) => T, how?: { guarded: true }): Promise<Awaited<T>> {
    const since = performance.now();
    const writing = how
      ? run({ begin: "begin isolation level read committed", work })
      : alone("", () => run({ begin: "begin isolation level serializable", work, after, since }));
    writes.add(writing);
    void settling(writing.finally(() => writes.delete(writing)));
    return writing;
  }

  return { write, settled: async () => void (await Promise.allSettled(writes)) };
}

/** In the locale C only ASCII has letters, and texts are found by runs of letters (pg_trgm). */
async function checkLocale(send: Send) {
  const [runs] = await send("select cardinality(show_trgm('öl'))", []);
  const message = "The database's LC_CTYPE knows no letters beyond ASCII. Create the database with LC_CTYPE C.UTF-8.";
  if (runs?.[0] !== 3) throw new Error(message);
}
