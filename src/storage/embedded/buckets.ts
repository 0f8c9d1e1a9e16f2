import { mkdir, readdir, rm, stat } from "node:fs/promises";
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
