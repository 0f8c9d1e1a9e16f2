import { Database } from "bun:sqlite";
import { chmodSync, renameSync, rmSync } from "node:fs";
import { openDb } from "../open";
import { eraseAgain } from "./erase-again";
import { readErasures } from "./erasure-log";

/**
 * Erases from a restored copy the people who were erased after the backup was made. The copy is migrated for this, and
 * rewritten so that its unused space contains nothing of them. Returns how many erasures there were.
 *
 * @param file the restored copy, which no service uses yet
 */
export async function eraseRestored(file: string, logFile: string, now: Date): Promise<number> {
  if (!readErasures(logFile).length) return 0;
  const db = await openDb(file);
  const erased = await eraseAgain(db, logFile, now).finally(() => db.close());
  const rewritten = `${file}.rewritten`;
  rmSync(rewritten, { force: true });
  const sqlite = new Database(file, { readwrite: true, create: false });
  sqlite.run("VACUUM INTO ?", [rewritten]);
  sqlite.close();
  for (const log of ["-wal", "-shm"]) rmSync(file + log, { force: true });
  chmodSync(rewritten, 0o600);
  renameSync(rewritten, file);
  return erased;
}
