import type { Deps } from "../boot/deps";
import { randomToken } from "../security/secrets";

type Waiting<T> = { what: T; sessionId: string; until: number };

const anHour = 3_600_000;

/**
 * Where a file that was checked waits for its "Import": in memory, an hour, for the session that brought it. When more
 * than `most` wait, the oldest is gone.
 */
export function pendingImports<T>({ now }: Pick<Deps, "now">, most: number) {
  const waiting = new Map<string, Waiting<T>>();

  return {
    /** Returns the token that the form of the next step carries. */
    keep(what: T, sessionId: string): string {
      for (const [token, { until }] of waiting) if (until < now().getTime()) waiting.delete(token);
      const [oldest] = waiting.keys();
      if (waiting.size >= most && oldest) waiting.delete(oldest);
      const token = randomToken();
      waiting.set(token, { what, sessionId, until: now().getTime() + anHour });
      return token;
    },
    /** What waits under this token, once; undefined when it is no longer there, or somebody else's. */
    take(token: string, sessionId: string): T | undefined {
      const found = waiting.get(token);
      if (!found || found.sessionId !== sessionId || found.until < now().getTime()) return;
      waiting.delete(token);
      return found.what;
    },
  };
}
