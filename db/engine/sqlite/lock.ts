import { Database } from "bun:sqlite";

export type Lock = { release(): void };

/**
 * Locks `file` for this process until it releases the lock or ends. Uses SQLite's own file lock, so that `kill -9`
 * leaves nothing to clean up. Returns undefined while another process holds the lock.
 */
export function takeLock(file: string): Lock | undefined {
  const sqlite = new Database(file, { create: true });
  try {
    sqlite.run("PRAGMA locking_mode = EXCLUSIVE");
    sqlite.run("BEGIN EXCLUSIVE");
    return { release: () => sqlite.close() };
  } catch (error) {
    sqlite.close();
    if (isBusy(error)) return;
    throw error;
  }
}

/**
 * Retries `work` every few milliseconds while another process holds the write lock, for at most `timeoutMs`.
 *
 * SQLite's own busy_timeout would block the whole event loop while it waits.
 *
 * @param timeoutMs a function if it can change while `work` is retried
 */
export async function retryWhileBusy<T>(work: () => T, timeoutMs: number | (() => number)): Promise<T> {
  const startedAt = performance.now();
  const isOver = () => performance.now() - startedAt > (typeof timeoutMs === "number" ? timeoutMs : timeoutMs());
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || isOver()) throw error;
      await Bun.sleep(2 + Math.random() * 18);
    }
  }
}

const isBusy = (error: unknown) =>
  error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");
