import { type Db, type Orm, prepared } from "./open";
import { versions } from "../schema/versions";

export type Topic = "posts" | "projects" | "settings" | "feeds" | "keys";
type Version = { version: number; changedAt: Date };

const unknown: Version = { version: 0, changedAt: new Date(0) };
const allVersions = prepared((orm) => orm.select().from(versions).prepare());
const seen = new WeakMap<Db, { changeCounter: number; topics: Map<string, Version> }>();

/**
 * Returns how often a topic was changed, by any process, and when it changed last. Triggers do the counting, so no
 * caller can forget it. While no one writes, a call costs one comparison.
 */
export function current(db: Db, topic: Topic): Version {
  const changeCounter = db.changeCounter();
  let known = seen.get(db);
  if (known?.changeCounter !== changeCounter) {
    const topics = new Map(db.readSync((orm) => allVersions(orm).all()).map((row) => [row.topic, row]));
    seen.set(db, (known = { changeCounter, topics }));
  }
  return known.topics.get(topic) ?? unknown;
}

const maxEntries = 10_000; // per cache

/** A cache that is emptied when its topic changes, in any process. */
export function topicCache<T>(topic: Topic) {
  type Memory = { changeCounter: number; version: number; known: Map<string, T> };
  const memories = new WeakMap<Db, Memory>();

  /** The entries valid for the topic's current version. */
  function entriesOf(db: Db): Memory {
    const changeCounter = db.changeCounter();
    const memory = memories.get(db);
    if (memory?.changeCounter === changeCounter) return memory;
    const { version } = current(db, topic);
    const known = memory?.version === version ? memory.known : new Map<string, T>();
    const fresh = { changeCounter, version, known };
    memories.set(db, fresh);
    return fresh;
  }

  return {
    get: (db: Db, name: string): T | undefined => entriesOf(db).known.get(name),
    set(db: Db, name: string, value: T): void {
      const { known } = entriesOf(db);
      if (known.size < maxEntries) known.set(name, value);
    },
  };
}

/**
 * A lookup by name, cached until its topic changes: twenty times cheaper than querying again. Misses are not cached, so
 * that no one can fill the cache with made-up names.
 */
export function cachedLookup<T>(topic: Topic, find: (orm: Orm, name: string) => T | undefined) {
  const answers = topicCache<T>(topic);

  return (db: Db, name: string): T | undefined => {
    const known = answers.get(db, name);
    if (known !== undefined) return known;
    const found = db.readSync((orm) => find(orm, name));
    if (found !== undefined) answers.set(db, name, found);
    return found;
  };
}
