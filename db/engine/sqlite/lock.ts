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
    if (error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY")) return;
    throw error;
  }
}
