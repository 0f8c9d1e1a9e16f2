import { copyFileSync, existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { inspect, makeSelfContained, sync } from "../../db/ops/backup-file";
import { pauseRestored } from "../../db/ops/pause-restored";
import { eraseRestored } from "../../db/people/erase-again";
import { loadConfig } from "../platform/config";
import { erasureLog } from "../platform/data-dir";
import { backupPath, databaseFile, lockData, needsOwnDatabase } from "../boot/data";
import { type Command, needsFile, print } from "./command";

export const commands: Command[] = [
  {
    usage: "restore <file>",
    about: "Replace the database with a backup; stop the service first",
    async run([name = ""]) {
      const config = loadConfig();
      needsOwnDatabase(config, "restore it with pg_restore, or from the copies of its provider.");
      const file = resolve(name);
      needsFile(file);
      const problem = inspect(file);
      if (problem) throw new Error(`${file} cannot be restored: ${problem}.`);

      const lock = lockData(config);
      try {
        const aside = backupPath(config, "before-restore", new Date());
        const { hadOne, paused, erased } = await swap(file, databaseFile(config), aside, erasureLog(config));
        print("restored", file);
        if (hadOne) print("previous database", aside);
        if (paused) print("paused broadcasts", paused);
        if (erased) print("erased people again", erased);
      } finally {
        lock.release();
      }
    },
  },
];

/**
 * Replaces `database` by a copy of `file`, and moves the old one to `aside`. A crash at any point leaves one of the two
 * complete in its place. Returns whether there was an old one, how many broadcasts were paused, and how many people
 * erased again.
 */
async function swap(file: string, database: string, aside: string, logFile: string) {
  const draft = `${database}.restoring`;
  for (const log of ["-wal", "-shm"]) rmSync(draft + log, { force: true }); // of a restore that was interrupted
  copyFileSync(file, draft);
  const paused = pauseRestored(draft, new Date());
  const erased = await eraseRestored(draft, logFile, new Date());
  sync(draft);
  const hadOne = existsSync(database);
  if (hadOne) putAside(database, aside);
  renameSync(draft, database);
  sync(dirname(database));
  return { hadOne, paused, erased };
}

function putAside(database: string, aside: string): void {
  const logs = ["-wal", "-shm"];
  try {
    makeSelfContained(database);
  } catch (error) {
    if (isInUse(error)) throw new Error("Another postroom command is using the database. Wait for it to finish.");
    for (const log of logs) if (existsSync(database + log)) copyFileSync(database + log, aside + log); // corrupt: kept as it is
  }
  linkSync(database, aside);
  for (const log of logs) rmSync(database + log, { force: true });
}

const isInUse = (error: unknown) => error instanceof Error && /locked|busy/i.test(error.message);
