import { errorCode } from "../platform/log";
import { copyFileSync, existsSync, linkSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Lock, takeLock } from "../../db/engine/sqlite/lock";
import { codeOf, isDatabaseFault } from "../../db/engine/errors";
import type { Db } from "../../db/engine/open";
import { openDb } from "../../db/open";
import { sync } from "../../db/ops/backup-file";
import type { Config } from "../platform/config";
import { backupPath, databaseFile, prepareDataDir } from "../platform/data-dir";

type DataLocation = Pick<Config, "DATA_DIR">;
/** With DATABASE_URL, everything is in that database, and DATA_DIR is not touched. */
type Location = DataLocation & Pick<Config, "DATABASE_URL" | "DATABASE_POOL">;

/**
 * Opens the database of DATABASE_URL, or else the one in DATA_DIR, created or migrated if necessary.
 *
 * @throws a message for the operator if the database does not answer, DATA_DIR cannot be written, or the file is not an
 * intact database
 */
export async function openData(where: Location, now: Date): Promise<Db> {
  if (where.DATABASE_URL) return openShared(where.DATABASE_URL, where.DATABASE_POOL);
  prepareDataDir(where.DATA_DIR);
  const file = databaseFile(where);
  if (!existsSync(file)) await createDatabase(file);
  if (!statSync(file).size) throw new Error(`The database ${file} is empty: ${remedy}`);
  return openDb(file, { copyBeforeMigration: backupPath(where, "before-migration", now) });
}

/** @throws a message for the operator if the database does not answer */
export const openShared = (url: string, connections: number): Promise<Db> => reached(openDb(url, { connections }));

/**
 * The URL contains a password, which the driver's messages may repeat, so the message is made from the error code
 * alone.
 */
export async function reached<T>(opened: Promise<T>): Promise<T> {
  try {
    return await opened;
  } catch (error) {
    if (certificateFault.test(codeOf(error)))
      throw new Error(
        `The certificate of the PostgreSQL database is not valid for its host name, or comes from an unknown authority (${codeOf(error)}). Check the host name, or name the file of the authority: sslrootcert=… in DATABASE_URL.`,
      );
    if (!isDatabaseFault(error)) throw error;
    throw new Error(
      `The PostgreSQL database cannot be used (${codeOf(error)}). Check its address, name and password, and that it runs.`,
    );
  }
}

/** The codes of Node.js for a certificate that `sslmode=verify-full` rejects. */
const certificateFault = /^(ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/;

/** Rejects a command that works on SQLite's files. @throws if DATABASE_URL is set */
export function needsOwnDatabase({ DATABASE_URL }: Pick<Config, "DATABASE_URL">, instead: string): void {
  if (DATABASE_URL) throw new Error(`The database of DATABASE_URL is not in DATA_DIR: ${instead}`);
}

const remedy =
  "its contents were lost, by the disk or an interrupted copy. Replace it with a backup using `npm run postroom -- restore <file>`.";

/** Returns the message for the operator about a corrupt database. */
export const damaged = (file: string, damage: string) =>
  new Error(
    `The database ${file} is damaged (${damage}). Stop everything that writes to it, and replace it with a backup using \`npm run postroom -- restore <file>\`.`,
  );

/**
 * Returns the message for the operator about SQLite's error with a disk or the rights to it, of which SQLite says little
 * more than "disk I/O error"; undefined for other errors.
 */
export function diskProblem({ DATA_DIR }: DataLocation, code: string): Error | undefined {
  const folder = `DATA_DIR ${resolve(DATA_DIR)}`;
  if (code === "SQLITE_FULL" || code === "SQLITE_IOERR_SHMSIZE")
    return new Error(`The disk of ${folder} is full. Make space: the database keeps what it has acknowledged.`);
  if (/^SQLITE_(CANTOPEN|READONLY|PERM|IOERR_ACCESS)/.test(code))
    return new Error(
      `The database in ${folder} cannot be opened or written by this user (${code}). \`npm run postroom -- doctor\`, run as the user of the service, says why.`,
    );
  if (code === "SQLITE_IOERR_GETTEMPPATH")
    return new Error("SQLite has no folder for temporary files. Set SQLITE_TMPDIR to one that this user can write.");
  if (code.startsWith("SQLITE_IOERR"))
    return new Error(
      `The disk of ${folder} fails (${code}). Look into the system's log (dmesg), and move DATA_DIR to a disk that works, or restore a backup.`,
    );
}

/** Creates a new database completely or not at all, so that an empty file always means a lost one. */
async function createDatabase(file: string): Promise<void> {
  if (existsSync(`${file}-wal`))
    throw new Error(`The database ${file} is missing, but its log still exists: ${remedy}`);
  const [draft, copy] = [`${file}.${process.pid}.draft`, `${file}.${process.pid}.new`];
  try {
    await (await openDb(draft)).close();
    copyFileSync(draft, copy); // a separate file: SQLite shares the log's index among all names of one file
    sync(copy);
    linkSync(copy, file); // unlike a rename, it never replaces an existing file
    sync(dirname(file));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error; // another process was faster
  } finally {
    for (const made of [copy, draft, `${draft}-wal`, `${draft}-shm`]) rmSync(made, { force: true });
  }
}

/** Locks DATA_DIR for this process; a shared database needs no lock. @throws while a server runs on DATA_DIR */
export function lockData(where: Location): Lock {
  if (where.DATABASE_URL) return { release: () => {} };
  prepareDataDir(where.DATA_DIR);
  const lock = takeLock(join(where.DATA_DIR, "server.lock"));
  if (!lock) throw new Error("A server is already using this DATA_DIR. Stop it first, or set a different DATA_DIR.");
  return lock;
}
