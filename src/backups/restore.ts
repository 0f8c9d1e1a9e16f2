import { chmodSync, copyFileSync, existsSync, linkSync, readFileSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { makeSelfContained, removeLogs, stopSendingIn, sync } from "../../db/ops/backup-file";
import { eraseRestored } from "../../db/people/erasures";
import type { Config } from "../platform/config";
import { backupPath, databaseFile, erasureLog } from "../platform/data-dir";

/** Puts a file where the draft of the database is. */
export type Place = (file: string, draft: string) => void;

/**
 * Replaces the database by what `place` makes of `file`, and moves the old one aside. A crash at any point leaves one of
 * the two complete in its place. Returns where the old one is, how many broadcasts were paused, and how many people
 * erased again.
 */
export async function putBack(config: Config, place: Place, file: string) {
  const database = databaseFile(config);
  const aside = backupPath(config, "before-restore", new Date());
  const draft = `${database}.restoring`;
  removeLogs(draft); // of a restore that was interrupted
  place(file, draft);
  const paused = stopSendingIn(draft, new Date());
  const erased = await eraseRestored(draft, erasureLog(config), new Date());
  sync(draft);
  const hadOne = existsSync(database);
  if (hadOne) putAside(database, aside);
  renameSync(draft, database);
  sync(dirname(database));
  return { aside: hadOne ? aside : undefined, paused, erased };
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
