import { errorCode } from "../../platform/log";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Refused } from "./responses";

/**
 * Returns the folder of a bucket: its objects, open uploads, and what is about to be deleted. @throws Refused for an
 * invalid name
 */
export function folderOf(root: string, bucket: string): string {
  if (!/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(bucket)) throw new Refused(400, "InvalidBucketName");
  return join(root, "buckets", bucket);
}

export async function create(folder: string): Promise<void> {
  for (const part of ["objects", "uploads", "trash"]) await mkdir(join(folder, part), { recursive: true, mode: 0o700 });
}

export const exists = (folder: string) =>
  stat(join(folder, "trash")).then(
    () => true,
    () => false,
  );

/** Deletes what an interrupted deletion left behind. */
export async function emptyTrash(root: string): Promise<void> {
  const buckets = await readdir(join(root, "buckets")).catch(() => []);
  for (const bucket of buckets) {
    const trash = join(root, "buckets", bucket, "trash");
    for (const name of await readdir(trash).catch(() => []))
      await rm(join(trash, name), { recursive: true, force: true });
  }
}

/** Returns the contents of the file; undefined if it does not exist. */
export async function readJson<T>(file: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as T;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Replaces the contents atomically: even after a crash, the file has all of the new contents, or the old ones. */
export async function writeJson(file: string, value: unknown): Promise<void> {
  const draft = `${file}.${crypto.randomUUID()}.draft`;
  const handle = await open(draft, "w", 0o600);
  try {
    await handle.writeFile(JSON.stringify(value));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}

export const isAbsent = (error: unknown) => errorCode(error) === "ENOENT";
