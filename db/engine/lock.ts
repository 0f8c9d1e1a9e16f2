import { Database } from "bun:sqlite";

export type Lock = { release(): void };

/**
 * Takes `file` for this process, until it releases it or dies: SQLite's own file lock, so that `kill -9` leaves nothing
 * to clean up. Returns undefined while another process holds it.
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
