import { Database } from "bun:sqlite";
import { accessSync, constants } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, resolve } from "node:path";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { versions } from "../../schema/versions";
import type { Db, Orm, TopicVersion } from "../open";
import { retryWhileBusy } from "./lock";
import { WriteQueue } from "./write-queue";

/**
 * Opens the embedded database at `path`. An acknowledged write survives a power failure (see write-queue.ts).
 *
 * @param path a file, or ":memory:"
 * @param prepare brings the tables to the schema of this program, before anything reads them
 */
export const openSqlite = (path: string, prepare: (sqlite: Database) => Promise<unknown>) =>
  openConnection(new Database(path, { create: true, strict: true }), path, prepare);

/** Opens the database that this connection is to. */
export async function openConnection(
  sqlite: Database,
  path: string,
  prepare: (sqlite: Database) => Promise<unknown>,
): Promise<Db & { sqlite: Database }> {
  const orm = drizzle(sqlite, { casing: "snake_case" }) as unknown as Orm;
  await retryWhileBusy(() => configure(sqlite), 30_000); // another process may be starting or closing at this moment
  if (path !== ":memory:") findTemporaryFolder(sqlite, path);
  await prepare(sqlite);

  const changes = watchChanges(sqlite);
  const queue = new WriteQueue(sqlite, orm, changes);

  return {
    read: (query) => queue.read(query),
    write: (work) => queue.write(work),
    changeCounter: changes.changeCounter,
    topic: changes.topic,
    fresh: () => Promise.resolve(), // `changeCounter` asks for itself
    isShared: false,
    /** The header's user_version, which nothing reads: it reaches the disk and has no meaning. */
    probe: () => queue.write(() => void sqlite.run(`PRAGMA user_version = ${Math.floor(Date.now() / 1000) % 2 ** 31}`)),
    lockedFor: (work) => queue.lockedFor(work),
    settled: () => queue.settled(),
    /** Checkpoints the write-ahead log into the database file and closes it. */
    async close() {
      await queue.settled();
      sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
      sqlite.close();
    },
    file: path === ":memory:" ? undefined : path,
    sqlite, // for tests
  };
}

function configure(sqlite: Database) {
  sqlite.run("PRAGMA busy_timeout = 5"); // it blocks the event loop; longer waits are in lock.ts
  sqlite.run("PRAGMA journal_mode = WAL");
  sqlite.run("PRAGMA synchronous = FULL");
  sqlite.run("PRAGMA foreign_keys = ON");
  sqlite.run("PRAGMA trusted_schema = OFF");
  sqlite.run("PRAGMA secure_delete = ON"); // otherwise each update leaves a copy of the row in its page
  sqlite.run("PRAGMA cache_size = -32768"); // 32 MiB
  sqlite.run("PRAGMA journal_size_limit = 67108864");
}

/**
 * Detects whether the database has changed, and which topics. Our own commits are reported by `committed`; those of other
 * processes are checked for once per turn of the event loop, because requests within one turn are simultaneous.
 */
function watchChanges(sqlite: Database) {
  const dataVersion = sqlite.prepare<{ data_version: number }, []>("PRAGMA data_version");
  const allVersions = drizzle(sqlite, { casing: "snake_case" }).select().from(versions).prepare();
  let [changes, seen] = [0, -1];
  let hasChecked = false;
  const checkAgain = () => void (hasChecked = false);
  let cached: { changes: number; topics: Map<string, TopicVersion> } | undefined;

  function changeCounter(): number {
    if (hasChecked) return changes;
    hasChecked = true;
    setImmediate(checkAgain);
    const version = dataVersion.get()?.data_version ?? -1;
    if (version !== seen) changes++;
    seen = version;
    return changes;
  }

  function topics(): Map<string, TopicVersion> {
    const current = changeCounter();
    if (cached?.changes !== current) {
      const rows = allVersions.all().map((row) => [row.topic, row] as const);
      cached = { changes: current, topics: new Map(rows) };
    }
    return cached.topics;
  }

  return {
    /** Reports a commit by this process. */
    committed: () => void changes++,
    /** To be called between BEGIN and the first change: while a batch is open, others must see the state before it. */
    begun() {
      hasChecked = false; // another process may have committed in this turn
      topics();
    },
    /**
     * Returns a different number after every change. While it stays the same, everything read before is still current.
     */
    changeCounter,
    topic: (name: string): TopicVersion | undefined => topics().get(name),
  };
}

/**
 * Lets SQLite use the folder of the database for what does not fit into its memory, if it finds no other
 * (https://sqlite.org/tempfiles.html, 5). In a container whose only writable folder is that of the data it finds none,
 * and migrations and VACUUM fail with "disk I/O error". It holds for all connections of the process.
 */
export function findTemporaryFolder(sqlite: Database, file: string): void {
  if (hasTemporaryFolder()) return;
  sqlite.run(`PRAGMA temp_store_directory = '${dirname(resolve(file)).replaceAll("'", "''")}'`);
}

const hasTemporaryFolder = () =>
  [tmpdir(), "/var/tmp", "/usr/tmp", "/tmp", "."].some((folder) => {
    try {
      accessSync(`${folder}/.`, constants.W_OK | constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
