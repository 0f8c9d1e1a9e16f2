import { statfs } from "node:fs/promises";

/** In bytes; free is what the service may use. */
export type DiskSpace = { free: number; total: number };

/** Below this share, a disk is nearly full. */
export const leastFreeShare = 0.1;

/** Returns the space of the disk that a folder is on. @throws if there is no such folder */
export async function diskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}
