import type { Deps } from "../boot/deps";
import { randomToken } from "../security/secrets";

type Pending<T> = { upload: T; sessionId: string; until: number };

const lifeMs = 3_600_000;

/**
 * Where a file that was checked waits for its "Import": in memory, an hour, for the session that uploaded it. When more
 * than `maxPending` wait, the oldest is dropped.
 */
export function pendingImports<T>({ now }: Pick<Deps, "now">, maxPending: number) {
  const pending = new Map<string, Pending<T>>();

  return {
    /** Returns the token that the form of the next step carries. */
    keep(upload: T, sessionId: string): string {
      for (const [token, { until }] of pending) if (until < now().getTime()) pending.delete(token);
      const [oldest] = pending.keys();
      if (pending.size >= maxPending && oldest) pending.delete(oldest);
      const token = randomToken();
      pending.set(token, { upload, sessionId, until: now().getTime() + lifeMs });
      return token;
    },
    /** What waits under this token, once; undefined when it is no longer there, or somebody else's. */
    take(token: string, sessionId: string): T | undefined {
      const found = pending.get(token);
      if (!found || found.sessionId !== sessionId || found.until < now().getTime()) return;
      pending.delete(token);
      return found.upload;
    },
  };
}
