import { type Db, type Orm, prepared } from "./open";
import { versions } from "../schema/versions";

export type Topic = "posts" | "projects" | "settings" | "feeds" | "keys";
type Version = { version: number; changedAt: Date };

const unknown: Version = { version: 0, changedAt: new Date(0) };
const allVersions = prepared((orm) => orm.select().from(versions).prepare());
const seen = new WeakMap<Db, { changeCounter: number; topics: Map<string, Version> }>();

/**
 * How often a topic was changed, by whatever process, and when last. Triggers count; nobody has to remember to. While
 * nobody writes at all, an answer costs a comparison.
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

const maxEntries = 10_000; // things remembered by one question

/** What is known until its topic changes, by whatever process: a map that is empty again then. */
export function topicCache<T>(topic: Topic) {
  type Memory = { changeCounter: number; version: number; known: Map<string, T> };
  const memories = new WeakMap<Db, Memory>();

  /** What was kept while the topic was as it is now. */
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
 * A question about one name whose answer is remembered until its topic changes: twenty times cheaper than to ask again.
 * What was not found is not remembered, so that nobody can fill the memory with names of his own.
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
