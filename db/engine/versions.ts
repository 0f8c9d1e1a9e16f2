import { eq, sql } from "drizzle-orm";
import { forUpdate } from "./dialects";
import { versions } from "../schema/versions";
import { type Db, type Orm, prepared, type TopicVersion } from "./open";

export type Topic = "posts" | "projects" | "settings" | "feeds" | "keys" | "broadcasts";

const unknown: TopicVersion = { version: 0, changedAt: new Date(0) };

/**
 * Returns how often a topic was changed, by any process, and when it changed last: whatever is kept in memory is
 * dropped when this number is another one. Triggers do the counting, so no caller can forget it. A request sees what
 * was committed before it began: SQLite tells us in `PRAGMA data_version`, and PostgreSQL is asked for all versions
 * before each request (`fresh`) that is not for monitoring. What runs without a request sees it a second later
 * (`src/boot/work.ts`). While no one writes, a call costs one comparison. Of settings, only public ones count: others are
 * read from the table each time.
 */
export const current = (db: Db, topic: Topic): TopicVersion => db.topic(topic) ?? unknown;

const { topic: name } = versions;
const lock = prepared((orm) =>
  orm
    .select({ name })
    .from(versions)
    .where(forUpdate(eq(name, sql.placeholder("topic"))))
    .prepare(),
);

/**
 * Keeps other transactions from changing the topic until this one ends. Called by one that changes many rows, before it
 * reads them: otherwise shorter ones commit while it runs, and PostgreSQL makes it start again each time. Those call it
 * too before they write, so that no two wait for each other.
 */
export const lockTopic = async (orm: Orm, topic: Topic): Promise<void> => void (await lock(orm).get({ topic }));

/** A cache that is emptied when its topic changes, in any process. */
export function topicCache<T>(topic: Topic, maxEntries = 10_000) {
  type Memory = { changeCounter: number; version: number; values: Map<string, T> };
  const memories = new WeakMap<Db, Memory>();

  /** The entries valid for the topic's current version. */
  function entriesOf(db: Db): Memory {
    const changeCounter = db.changeCounter();
    const memory = memories.get(db);
    if (memory?.changeCounter === changeCounter) return memory;
    const { version } = current(db, topic);
    const values = memory?.version === version ? memory.values : new Map<string, T>();
    const fresh = { changeCounter, version, values: values };
    memories.set(db, fresh);
    return fresh;
  }

  return {
    get: (db: Db, name: string): T | undefined => entriesOf(db).values.get(name),
    /**
     * Returns a setter for a value that is about to be read. It writes to the entries of the current version, which are
     * discarded if the topic changes during the read.
     */
    setter(db: Db): (name: string, value: T) => void {
      const { values } = entriesOf(db);
      return (name, value) => void (values.size < maxEntries && values.set(name, value));
    },
  };
}

/**
 * A lookup by name, cached until its topic changes: twenty times cheaper than querying again. Misses are not cached, so
 * that no one can fill the cache with made-up names. A cached value is returned without a promise.
 */
export function cachedLookup<T>(topic: Topic, find: (orm: Orm, name: string) => Promise<T | undefined>) {
  const cache = topicCache<T>(topic);

  return (db: Db, name: string): T | undefined | Promise<T | undefined> => {
    const cached = cache.get(db, name);
    return cached === undefined ? look(db, name) : cached;
  };

  async function look(db: Db, name: string): Promise<T | undefined> {
    const set = cache.setter(db);
    const value = await db.read((orm) => find(orm, name));
    if (value !== undefined) set(name, value);
    return value;
  }
}

/** For what changes responses about a topic without changing its tables, whose triggers count by themselves. */
export const bump = async (orm: Orm, topic: Topic, now: Date): Promise<void> =>
  void (await orm
    .update(versions)
    .set({ version: sql`version + 1`, changedAt: now })
    .where(eq(name, topic))
    .run());
