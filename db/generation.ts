import type { Database } from "bun:sqlite";

/**
 * Knows whether the database has changed, by whatever process. It looks once in each turn of the event loop, because
 * requests of one turn are simultaneous, and again after each commit of our own.
 */
export function watchChanges(sqlite: Database) {
  const ours = sqlite.prepare<{ n: number }, []>("SELECT total_changes() n");
  const theirs = sqlite.prepare<{ data_version: number }, []>("PRAGMA data_version");
  let [generation, seenOurs, seenTheirs] = [0, -1, -1];
  let hasLooked = false;
  const lookAgain = () => void (hasLooked = false);

  return {
    lookAgain,
    /** Another number after every change. While it stays, what was read is still true. */
    generation(): number {
      if (hasLooked) return generation;
      hasLooked = true;
      setImmediate(lookAgain);
      const [nowOurs, nowTheirs] = [ours.get()?.n ?? -1, theirs.get()?.data_version ?? -1];
      if (nowOurs !== seenOurs || nowTheirs !== seenTheirs) generation++;
      [seenOurs, seenTheirs] = [nowOurs, nowTheirs];
      return generation;
    },
  };
}
