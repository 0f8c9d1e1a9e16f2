import { z } from "zod";
import type { NodeClient, Target } from "./client";
import { createHmac } from "node:crypto";
import { readPrefix } from "../read-prefix";
import { isSilence } from "./errors";

/*
 * The free space that servers report to callers with the right keys: Ceph in the headers of HEAD bucket, MinIO in its
 * metrics and, to administrators, in its storage information. What is not reported, or not to us, is unknown; that is
 * no failure of the node.
 */

const maxResponseBytes = 4 * 2 ** 20;

const StorageInfo = z.object({
  Disks: z.array(
    z.object({ availspace: z.number().default(0), pool_index: z.number(), disk_index: z.number() }), // 0 is omitted
  ),
  Backend: z.object({ StandardSCData: z.array(z.number()) }),
});

/** The free space of the disks that hold data: the others of each set hold its parity. */
async function inStorageInfo(client: NodeClient): Promise<number | undefined> {
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

const bytesOf = (value: number) => (Number.isFinite(value) && value >= 0 ? Math.floor(value) : undefined);

const tokenLifetimeSeconds = 60;

/** Bytes that a server reports as free. Ceph reports a quota even if it is turned off, so that needs verification. */
export type ReportedFree = { bytes: number; isCertain: boolean };

/** Returns undefined if the server does not report it. @throws if it does not respond at all */
export async function reportedFree(
  client: NodeClient,
  target: Target,
  deadline: number,
): Promise<ReportedFree | undefined> {
  const { bucket: bucketName } = target;
  const head = async (query = "") => (await client.makeRequestAsync({ method: "HEAD", bucketName, query })).headers;
  try {
    const headers = await head();
    if (/minio/i.test(String(headers.server)))
      return reported((await current(client)) ?? (await inMetrics(target, deadline)), true);
    if (!hasQuota(headers)) return undefined;
    return reported(underQuota(headers["x-rgw-bytes-used"] ? headers : await head("read-stats=true")), false); // newer versions report it only on request
  } catch (error) {
    if (isSilence(error)) throw error;
    return undefined;
  }
}

/** Only administrators may ask. The metrics lag behind, and stay as they were once the disk is full. */
const current = (client: NodeClient) =>
  inStorageInfo(client).catch((error) => {
    if (isSilence(error)) throw error;
    return undefined;
  });

type Answered = Record<string, string | string[] | undefined>;

const reported = (bytes: number | undefined, isCertain: boolean) =>
  bytes === undefined ? undefined : { bytes, isCertain };

const quotas = ["x-rgw-quota-bucket-size", "x-rgw-quota-user-size"];
const hasQuota = (headers: Answered) => quotas.some((name) => Number(headers[name]) > 0);

/** A user's quota counts all buckets of that user, of which we see one: there may be less space, but never more. */
function underQuota(headers: Answered): number | undefined {
  const used = Number(headers["x-rgw-bytes-used"] ?? Number.NaN);
  const limits = quotas.map((name) => Number(headers[name])).filter((bytes) => bytes > 0);
  return limits.length && used >= 0 ? Math.max(0, Math.min(...limits) - used) : undefined;
}

/** Like those that `mc admin prometheus generate` creates. */
function bearerToken({ accessKey, secretKey }: Target): string {
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const exp = Math.floor(Date.now() / 1_000) + tokenLifetimeSeconds;
  const claims = `${encoded({ alg: "HS512", typ: "JWT" })}.${encoded({ exp, iss: "prometheus", sub: accessKey })}`;
  return `${claims}.${createHmac("sha512", secretKey).update(claims).digest("base64url")}`;
}

async function inMetrics(target: Target, deadline: number): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${bearerToken(target)}` };
  const signal = AbortSignal.timeout(deadline);
  const answer = await fetch(`${target.endpoint}/minio/v2/metrics/cluster`, { headers, signal, redirect: "manual" });
  const text = String(await readPrefix(answer, maxResponseBytes));
  if (!answer.ok) return undefined;
  const values = [...text.matchAll(/^minio_cluster_capacity_usable_free_bytes(?:\{[^}\n]*\})? (\S+)$/gm)];
  return bytesOf(Math.min(...values.map(([, value]) => Number(value))));
}
