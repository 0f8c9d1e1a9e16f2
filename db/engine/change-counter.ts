import type { Database } from "bun:sqlite";

/**
 * Detects whether the database has changed. Our own commits are reported by `committed`; those of other processes are
 * checked for once per turn of the event loop, because requests within one turn are simultaneous.
 */
export function watchChanges(sqlite: Database) {
  const dataVersion = sqlite.prepare<{ data_version: number }, []>("PRAGMA data_version");
  let [changes, seen] = [0, -1];
  let hasChecked = false;
  const checkAgain = () => void (hasChecked = false);

  return {
    /** Reports a commit by this process. */
    committed: () => void changes++,
    /**
     * Returns a different number after every change. While it stays the same, everything read before is still current.
     */
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
