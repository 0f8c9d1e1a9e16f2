import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openDb } from "../../db/engine/open";
import { type Lock, takeLock } from "../../db/engine/lock";
import type { Config } from "../config";

type Where = Pick<Config, "DATA_DIR">;

export const databaseFile = ({ DATA_DIR }: Where) => join(DATA_DIR, "postroom.sqlite");

/** Makes DATA_DIR when it is not there. */
export const prepare = ({ DATA_DIR }: Where) => void mkdirSync(DATA_DIR, { recursive: true, mode: 0o700 });

/** The database in DATA_DIR, made or migrated when it has to be. */
export function openData(where: Where, now: Date) {
  prepare(where);
  return openDb(databaseFile(where), copyFile(where, "before-migration", now));
}

/** DATA_DIR for this process alone. @throws while a server runs on it */
export function lockData(where: Where): Lock {
  prepare(where);
  const lock = takeLock(join(where.DATA_DIR, "server.lock"));
  if (!lock) throw new Error("A server is running on this DATA_DIR. Stop it first, or set another DATA_DIR.");
  return lock;
}

/** A name in DATA_DIR/backups for a copy made now; the folder exists afterwards. */
export function copyFile({ DATA_DIR }: Where, reason: string, now: Date): string {
  const folder = join(DATA_DIR, "backups");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return join(folder, `${reason}-${now.toISOString().replaceAll(/[-:]|\.\d+/g, "")}.sqlite`);
}
