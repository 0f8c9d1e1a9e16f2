import { copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { backup } from "../../db/ops/backup";
import { loadConfig } from "../platform/config";
import { backupPath, databaseFile, lockData, needsOwnDatabase } from "../boot/data";
import { erasureLog, prepareDataDir } from "../platform/data-dir";
import { type Command, complain, figure, needsFile, print } from "./command";
import { inspect, makeSelfContained, sync } from "../../db/ops/backup-file";
import { pauseRestored } from "../../db/ops/pause-restored";
import { eraseRestored } from "../../db/people/erase-again";

export const commands: Command[] = [
  {
    usage: "backup <file>",
    about: "Back up the database to a new file; safe while the service is running",
    async run([name = ""]) {
      const config = loadConfig();
      needsOwnDatabase(config, "copy it with pg_dump, or use the copies of its provider.");
      const file = resolve(name);
      prepareDataDir(config.DATA_DIR);
      if (!existsSync(databaseFile(config))) throw new Error("No database found in DATA_DIR.");
      if (existsSync(file)) throw new Error(`${file} already exists. Choose a new file name.`);
      if (!existsSync(dirname(file))) throw new Error(`Folder not found: ${dirname(file)}.`);
      await backup(databaseFile(config), file);
      print(file, `${figure(statSync(file).size)} bytes`);
      complain(
        "Also keep a copy of the secret (DATA_DIR/secret or APP_SECRET) in a different place. Without it, unsubscribe links in sent emails, stored node credentials and two-step verification stop working.",
      );
    },
  },
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
