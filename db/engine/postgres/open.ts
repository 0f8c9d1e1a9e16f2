import type { SQL } from "bun";
import { inTime } from "../../async/in-time";
import { inTurn } from "../../async/turns";
import { againIfCut, codeOf, NewerSchema, noAnswer } from "../errors";
import type { Db, Orm, TopicVersion } from "../open";
import { type Connections, type Run, type Send, settling, transactionsOn } from "./connections";
import { ormOver } from "./dialect";

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
    lockedFor: <T>(work: () => Promise<T>) => work(),
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

const question = "select topic, version, changed_at from versions";

const maxQuestions = 3; // in flight
const answerMs = 3_000; // a server that has vanished would otherwise keep every request waiting

type Topics = ReturnType<typeof watchTopics>;

/** Knows the versions of all topics at some moment, and queries the current ones (docs/decisions/postgres.md). */
export function watchTopics(send: Send) {
  let [changes, asked, overtaken, forgotten, failures, milliseconds] = [0, 0, 0, 0, 0, 0];
  let topics = new Map<string, TopicVersion>();
  let next: Promise<void> | undefined; // not sent yet
  const underWay = Array.from({ length: maxQuestions }, () => Promise.resolve());

  /** Responses may overtake each other: one to an earlier query may be older or newer than the latest. */
  async function query(send: Send): Promise<void> {
    const turn = ++asked;
    const startedAt = performance.now();
    const rows = (await send(question, [])) as [string, bigint, bigint][];
    milliseconds += performance.now() - startedAt;
    if (turn <= forgotten) return;
    const answer = new Map(rows.map(([topic, version, at]) => [topic, toVersion(version, at)]));
    const merged = turn <= overtaken ? higherOf(answer, topics) : answer;
    overtaken = asked;
    if ([...merged].some(([topic, { version }]) => topics.get(topic)?.version !== version)) changes++;
    topics = merged;
  }

  /** Without a response, anything may have changed, even a key's status: then every version changes. */
  async function queryOrForget(): Promise<void> {
    try {
      await inTime(queryInTurn(), answerMs, noAnswer);
    } catch (error) {
      next = undefined;
      changes++;
      failures++;
      forgotten = asked; // responses to earlier queries say nothing about now
      topics = new Map();
      throw error;
    }
  }

  /** Queries when this turn of the event loop ends, and one of the queries in flight has been answered. */
  async function queryInTurn(): Promise<void> {
    await Promise.all([new Promise<unknown>(setImmediate), underWay.shift()]);
    next = undefined;
    const answered = query(send);
    underWay.push(answered.catch(() => undefined));
    return answered;
  }

  /** Resolves once everything committed before this call is known. All callers in one turn share a query. */
  const fresh = (): Promise<void> => (next ??= queryOrForget());

  const topic = (name: string) => topics.get(name) ?? { version: -failures, changedAt: new Date(0) };
  return { query, fresh, topic, changeCounter: () => changes, questions: () => ({ count: asked, milliseconds }) };
}

/** Takes the higher version of each topic, so that no commit, ours or another's, is lost again. */
const higherOf = (one: Map<string, TopicVersion>, other: Map<string, TopicVersion>) =>
  new Map([...one].map(([topic, version]) => [topic, later(version, other.get(topic))]));
const later = (one: TopicVersion, other = one) => (other.version > one.version ? other : one);

const toVersion = (version: bigint, at: bigint) => ({ version: Number(version), changedAt: new Date(Number(at)) });
