import { z } from "zod";
import type { NodeClient } from "./client";

/*
 * The free space that servers report to callers with the right keys: Ceph in the headers of HEAD bucket, MinIO in its
 * metrics and, to administrators, in its storage information. What is not reported, or not to us, is unknown; that is
 * no failure of the node.
 */

export const maxResponseBytes = 4 * 2 ** 20;

const StorageInfo = z.object({
  Disks: z.array(
    z.object({ availspace: z.number().default(0), pool_index: z.number(), disk_index: z.number() }), // 0 is omitted
  ),
  Backend: z.object({ StandardSCData: z.array(z.number()) }),
});

/** The free space of the disks that hold data: the others of each set hold its parity. */
export async function inStorageInfo(client: NodeClient): Promise<number | undefined> {
  const asked = { method: "GET", bucketName: "minio", objectName: "admin/v3/storageinfo" };
  const answer = await client.makeRequestAsync(asked);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    chunks.push(Buffer.from(chunk));
    if ((size += chunk.length) > maxResponseBytes) return undefined;
  }
  const { Disks: disks, Backend: backend } = StorageInfo.parse(JSON.parse(String(Buffer.concat(chunks))));
  const ofData = disks.filter(({ pool_index, disk_index }) => disk_index < (backend.StandardSCData[pool_index] ?? 0));
  return ofData.length ? bytesOf(ofData.reduce((sum, { availspace }) => sum + availspace, 0)) : undefined;
}

export const bytesOf = (value: number) => (Number.isFinite(value) && value >= 0 ? Math.floor(value) : undefined);
