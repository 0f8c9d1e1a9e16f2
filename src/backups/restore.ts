import { chmodSync, copyFileSync, existsSync, linkSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { inspect, makeSelfContained, removeLogs, stopSendingIn, sync } from "../../db/ops/backup-file";
import { addErasures, eraseRestored, readErasures } from "../../db/people/erasures";
import type { Config } from "../platform/config";
import { backupPath, databaseFile, erasureLog } from "../platform/data-dir";
import { atOnce, type Pause } from "../platform/tar";
import { messageOf } from "../platform/log";
import { databaseName, erasuresName } from "./copies";
import { needsSpace } from "./open-copy";

type Restoring = {
  /** The database of a copy. Changed in place. */
  file: string;
  /** The log of erasures that goes with it, to which those of the others are added. */
  erasureLog: string;
  /** Other logs of erasures; each may be missing. */
  moreErasures: string[];
};

type Limits = {
  /** Called after each piece of work. */
  pause?: Pause;
  /** Stay free on the disk. */
  spareBytes?: number;
};

/**
 * Makes the database of a copy one that the service can start with: stops what it would send, erases the people who were
 * erased since, and checks the result. `restore` does this before it replaces the database, and each copy at BACKUP_URL
 * is proved by it. Returns how many broadcasts were paused, and how many people erased again.
 *
 * @throws if the copy cannot be restored
 */
async function makeUsable(
  { file, erasureLog, moreErasures }: Restoring,
  now: Date,
  { pause = atOnce, spareBytes = 0 }: Limits = {},
) {
  for (const log of moreErasures) addErasures(erasureLog, readErasures(log));
  const paused = stopSendingIn(file, now);
  await pause();
  const limits = { pause, needsSpace: (bytes: number) => needsSpace(dirname(file), bytes + spareBytes) };
  const erased = await eraseRestored(file, erasureLog, now, limits);
  await pause();
  const problem = inspect(file);
  removeLogs(file); // to check a database in WAL mode, SQLite makes an empty log
  if (problem) throw new Error(`The restored database cannot be used: ${problem}.`);
  sync(file);
  await pause();
  return { paused, erased };
}

/**
 * Does with a copy that was opened in `folder` what `restore` does.
 *
 * @param moreErasures logs of erasures besides the copy's own; each may be missing
 * @throws if it could not be restored
 */
export async function tryToRestore(folder: string, moreErasures: string[], limits?: Limits): Promise<void> {
  const copy = { file: join(folder, databaseName), erasureLog: join(folder, erasuresName), moreErasures };
  try {
    await makeUsable(copy, new Date(), limits);
  } catch (error) {
    throw new Error(`The test restore of the copy failed: ${messageOf(error)}`);
  }
}

/** Puts a file where the draft of the database is. */
export type Place = (file: string, draft: string) => void;

/**
 * Replaces the database by what `place` makes of `file`, and moves the old one aside. A crash at any point leaves one of
 * the two complete in its place. Returns where the old one is, how many broadcasts were paused, and how many people
 * erased again.
 *
 * @param moreErasures logs of erasures that came with the copy
 */
export async function putBack(config: Config, place: Place, file: string, moreErasures: string[] = []) {
  const database = databaseFile(config);
  const aside = backupPath(config, "before-restore", new Date());
  const draft = `${database}.restoring`;
  removeLogs(draft); // of a restore that was interrupted
  place(file, draft);
  const done = await makeUsable({ file: draft, erasureLog: erasureLog(config), moreErasures }, new Date());
  const hadOne = existsSync(database);
  if (hadOne) putAside(database, aside);
  renameSync(draft, database);
  sync(dirname(database));
  return { aside: hadOne ? aside : undefined, ...done };
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
  removeLogs(database);
}

const isInUse = (error: unknown) => error instanceof Error && /locked|busy/i.test(error.message);

/**
 * Puts back the secret with which the copy was made, unless the environment has one. Returns where the previous secret
 * is, if a database was encrypted with it.
 */
export function putSecretBack(config: Config, copied: string, hadDatabase: boolean): string | undefined {
  const { secretFile } = config;
  if (!secretFile || !existsSync(copied)) return;
  if (readFileSync(copied, "utf8") === readFileSync(secretFile, "utf8")) return;
  const aside = backupPath(config, "secret-before-restore", new Date()).replace(/\.sqlite$/, "");
  if (hadDatabase) copyFileSync(secretFile, aside);
  const draft = `${secretFile}.restoring`;
  copyFileSync(copied, draft);
  chmodSync(draft, 0o600);
  sync(draft);
  renameSync(draft, secretFile);
  sync(dirname(secretFile));
  return hadDatabase ? aside : undefined;
}
