import type { Database } from "bun:sqlite";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { versions } from "../../schema/versions";
import type { TopicVersion } from "../open";

/**
 * Detects whether the database has changed, and which topics. Our own commits are reported by `committed`; those of other
 * processes are checked for once per turn of the event loop, because requests within one turn are simultaneous.
 */
export function watchChanges(sqlite: Database) {
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
