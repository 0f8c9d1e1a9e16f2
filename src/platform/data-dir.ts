import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { errorCode } from "./log";

/** What the service cannot start without, once it exists. */
const needed = ["postroom.sqlite", "postroom.sqlite-wal", "postroom.sqlite-shm", "server.lock", "erasures.log"];
/** Not all that is in DATA_DIR: a folder that is a disk of its own contains lost+found. */
const ours = [...needed, "secret", "backups", "storage"];

const reasons: Record<string, string> = {
  EROFS: "is on a read-only file system. Mount it writable",
  EEXIST: "is not a folder. Remove the file",
  ENOTDIR: "is not a folder. Remove the file",
  ENOENT: "cannot be created. Create it for this user",
  ENOSPC: "is on a full disk. Make space",
};

/**
 * Creates DATA_DIR, if necessary, for this user alone, and checks that the service can write to it.
 *
 * @throws a message for the operator if it cannot
 */
export function prepareDataDir(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unusable(folder, error);
  }
  checkAccess(folder, needed);
}

/** @throws a message for the operator if this user may not use DATA_DIR, or what is in it, or may not create it */
export function checkAccess(folder: string, names = ours): void {
  if (!existsSync(folder)) return access(folder, existingAbove(folder));
  for (const path of [folder, ...names.map((name) => join(folder, name))]) if (existsSync(path)) access(folder, path);
}

function access(folder: string, path: string): void {
  try {
    const isFolder = statSync(path).isDirectory();
    accessSync(isFolder ? `${path}/.` : path, constants.R_OK | constants.W_OK | (isFolder ? constants.X_OK : 0));
  } catch (error) {
    const isGone = path !== folder && errorCode(error) === "ENOENT"; // the log of a process that closes right now
    if (!isGone) throw unusable(folder, error, path);
  }
}

const existingAbove = (path: string): string =>
  existsSync(path) ? resolve(path) : existingAbove(dirname(resolve(path)));

/** Returns the message for the operator about this folder, or a path in it. */
export function unusable(folder: string, error: unknown, path = folder): Error {
  const code = errorCode(error) ?? "";
  if (code === "EACCES" || code === "EPERM") return forbidden(folder, path);
  const reason = reasons[code] ?? `cannot be used (${code || String(error)}). Make it writable for this user`;
  return new Error(`DATA_DIR ${resolve(folder)} ${reason}, or set a different DATA_DIR.`);
}

/** Says whose it is: what was copied, or made by a command that root ran, belongs to another user than the service. */
function forbidden(folder: string, path: string): Error {
  const exists = existsSync(folder);
  const blocked = existingAbove(path);
  const { uid, mode } = statSync(blocked);
  const own = process.getuid?.();
  const isOthers = own !== uid;
  const why = isOthers
    ? `belongs to user ${uid}, and this is user ${own}`
    : `has the mode ${(mode & 0o777).toString(8)}`;
  const remedy = isOthers ? `As root, run chown -R ${own} ${resolve(folder)}` : `Run chmod -R u+rwX ${blocked}`;
  return new Error(
    `DATA_DIR ${resolve(folder)} ${exists ? "is not writable for" : "cannot be created by"} this user: ${blocked === resolve(folder) ? "it" : blocked} ${why}. ${exists ? remedy : "Create it for this user"}, or set a different DATA_DIR.`,
  );
}

/** Returns the first of our files that the owner of the folder does not own. */
export const foreignFile = (folder: string): string | undefined =>
  ours
    .map((name) => join(folder, name))
    .find((path) => existsSync(path) && statSync(path).uid !== statSync(folder).uid);

export type DataLocation = { DATA_DIR: string };

export const databaseFile = ({ DATA_DIR }: DataLocation) => join(DATA_DIR, "postroom.sqlite");

/** Returns a path in DATA_DIR/backups where nothing is yet, for a copy made now, and creates the folder. */
export function backupPath({ DATA_DIR }: DataLocation, reason: string, now: Date): string {
  const folder = join(DATA_DIR, "backups");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = join(folder, `${reason}-${now.toISOString().replaceAll(/[-:]|\.\d+/g, "")}`);
  let path = `${name}.sqlite`;
  for (let n = 2; existsSync(path); n++) path = `${name}-${n}.sqlite`; // made within the same second
  return path;
}

/** The file that records who was erased, independently of the database. */
export const erasureLog = ({ DATA_DIR }: DataLocation) => join(DATA_DIR, "erasures.log");

/** In bytes; free is what the service may use. */
export type DiskSpace = { free: number; total: number };

/** Of a disk with less free space than this, it is said that it is nearly full: on a small one, 1 GB would be all. */
const littleSpace = (total: number) => Math.max(0.1 * total, Math.min(1e9, 0.2 * total));
export const littleSpaceText = "less than 10 % free, or less than 1 GB and 20 %";

/** @param margin how many times as much is needed, for one that was nearly full */
export const isNearlyFull = ({ free, total }: DiskSpace, margin = 1): boolean => free < margin * littleSpace(total);

/** With less, the service is not ready. */
export const minFreeBytes = 100 * 2 ** 20;

/** Returns the space of the disk that a folder is on. @throws if there is no such folder */
export async function diskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}
