import type { Database } from "bun:sqlite";

/**
 * Knows whether the database has changed. Our own commits say so; for those of other processes it looks once in each
 * turn of the event loop, because requests of one turn are simultaneous.
 */
export function watchChanges(sqlite: Database) {
  const dataVersion = sqlite.prepare<{ data_version: number }, []>("PRAGMA data_version");
  let [changes, seen] = [0, -1];
  let hasChecked = false;
  const checkAgain = () => void (hasChecked = false);

  return {
    /** This process has committed something. */
    committed: () => void changes++,
    /** Another number after every change. While it stays, what was read is still true. */
    changeCounter(): number {
      if (hasChecked) return changes;
      hasChecked = true;
      setImmediate(checkAgain);
      const version = dataVersion.get()?.data_version ?? -1;
      if (version !== seen) changes++;
      seen = version;
      return changes;
    },
  };
}
