import type { Database } from "bun:sqlite";
import type { Db, Orm } from ".";

/**
 * Returns a function that answers with another number after every change of the database, by whatever process. Others'
 * commits are looked for once in each turn of the event loop: requests of one turn are simultaneous.
 */
export function watchChanges(sqlite: Database): () => number {
  const ours = sqlite.prepare<{ n: number }, []>("SELECT total_changes() n");
  const theirs = sqlite.prepare<{ data_version: number }, []>("PRAGMA data_version");
  let [generation, seenOurs, seenTheirs] = [0, -1, -1];
  let hasLooked = false;

  const look = () => {
    hasLooked = true;
    setImmediate(() => (hasLooked = false));
    return theirs.get()?.data_version ?? seenTheirs;
  };

  return () => {
    const nowOurs = ours.get()?.n ?? seenOurs;
    const nowTheirs = hasLooked ? seenTheirs : look();
    if (nowOurs !== seenOurs || nowTheirs !== seenTheirs) generation++;
    [seenOurs, seenTheirs] = [nowOurs, nowTheirs];
    return generation;
  };
}

const most = 10_000; // things remembered by one question

/**
 * A question about one name whose answer is remembered until the database changes: twenty times cheaper than to ask
 * again. What was not found is not remembered, so that nobody can fill the memory with names of his own.
 */
export function remembered<T>(find: (orm: Orm, name: string) => T | undefined) {
  const memories = new WeakMap<Db, { generation: number; answers: Map<string, T> }>();

  return async (db: Db, name: string): Promise<T | undefined> => {
    const generation = db.generation();
    let memory = memories.get(db);
    if (memory?.generation !== generation) memories.set(db, (memory = { generation, answers: new Map() }));
    const { answers } = memory;
    const known = answers.get(name);
    if (known !== undefined) return known;

    const found = await db.read((orm) => find(orm, name));
    if (found !== undefined && answers.size < most) answers.set(name, found);
    return found;
  };
}
