import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join, resolve } from "node:path";
import { errorCode } from "./log";

const written = ["postroom.sqlite", "postroom.sqlite-wal", "postroom.sqlite-shm", "server.lock"];

const reasons: Record<string, string> = {
  EROFS: "is on a read-only file system",
  EACCES: "is not writable for this user",
  EPERM: "is not writable for this user",
  EEXIST: "is not a folder",
  ENOTDIR: "is not a folder",
  ENOENT: "cannot be created",
  ENOSPC: "cannot be created: the disk is full",
};

/**
 * Creates DATA_DIR, if necessary, for this user alone, and checks that the service can write to it.
 *
 * @throws a message for the operator if it cannot
 */
export function prepareDataDir(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(`${folder}/.`, constants.R_OK | constants.W_OK | constants.X_OK);
    for (const name of written)
      if (existsSync(join(folder, name))) accessSync(join(folder, name), constants.R_OK | constants.W_OK);
  } catch (error) {
    throw unusable(folder, error);
  }
}

/** Returns the message for the operator. */
export function unusable(folder: string, error: unknown): Error {
  const code = errorCode(error) ?? "";
  const reason = reasons[code] ?? `cannot be used (${code || String(error)})`;
  return new Error(
    `DATA_DIR ${resolve(folder)} ${reason}. Make it writable for this user, or set a different DATA_DIR.`,
  );
}

/** The file that records who was erased, independently of the database. */
export const erasureLog = ({ DATA_DIR }: { DATA_DIR: string }) => join(DATA_DIR, "erasures.log");

/** In bytes; free is what the service may use. */
export type DiskSpace = { free: number; total: number };

/** Below this share, a disk is nearly full. */
export const leastFreeShare = 0.1;

/** Returns the space of the disk that a folder is on. @throws if there is no such folder */
export async function diskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}
