import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { startEmbeddedNode } from "../../../src/storage/embedded/node";
import { createLog } from "../../../src/platform/log";
import { temporaryFolder } from "./storage";

const bucket = "parcels";

export type Refusal = "disk" | "bucketQuota" | "quota" | "garageQuota" | "denied";

/** How servers reject uploads for lack of space, in their own words. */
const refusals: Record<Refusal, [status: number, code: string, message: string]> = {
  /** MinIO on a full disk. */
  disk: [507, "XMinioStorageFull", "Storage backend has reached its minimum free drive threshold."],
  /** MinIO and Ceph, when the bucket has a quota. */
  bucketQuota: [400, "XMinioAdminBucketQuotaExceeded", "Bucket quota exceeded"],
  quota: [403, "QuotaExceeded", ""],
  garageQuota: [
    403,
    "AccessDenied",
    "Forbidden: Bucket size quota is reached, maximum total size of objects for this bucket: 1024.",
  ],
  /** Says nothing about the space. */
  denied: [403, "AccessDenied", ""],
};

/** A storage server whose disk can be small, slow, removed, restored, and swapped for an empty one. */
export type Disk = {
  endpoint: string;
  bucket: string;
  accessKey: string;
  secretKey: string;
  /** `pause`: milliseconds before every answer. */
  faults: { pause: number };
  /** From now on it has no room for more than some 60 MiB. */
  limit(refusal: Refusal): Promise<void> | void;
  unlimit(): Promise<void> | void;
  takeOut(): Promise<void> | void;
  putBack(): Promise<void> | void;
  /** An empty disk instead, with a bucket that someone created. */
  swap(): Promise<void> | void;
  swapBack(): Promise<void> | void;
  close(): Promise<void>;
};

/** An S3 server of its own, on a disk that can be small, slow, removed, restored, and swapped for an empty one. */
export async function smallDisk() {
  const folder = temporaryFolder();
  const server = await startEmbeddedNode({ folder, port: 0, origins: new Set(), log: createLog("silent") });
  const disk = join(folder, "buckets", bucket);
  const faults = { room: Infinity, refusal: "disk" as Refusal, pause: 0 };
  const figures = { refused: 0, taken: 0, trialBytes: 0 };

  const front = frontOf(server.endpoint, faults, (request) => {
    const { pathname, search } = new URL(request.url);
    if (request.method !== "PUT" || !search.includes("uploadId=")) return;
    const length = Number(request.headers.get("content-length") ?? 0);
    const isRefused = usedOn(disk) + length > faults.room;
    figures[isRefused ? "refused" : "taken"]++;
    if (pathname.includes("/probe/")) figures.trialBytes += length;
    return isRefused ? refusal(...refusals[faults.refusal]) : undefined;
  });
  const takeOut = () => renameSync(disk, `${disk}.out`);
  const putBack = () => renameSync(`${disk}.out`, disk);

  return {
    endpoint: front.endpoint,
    bucket,
    accessKey: server.accessKey,
    secretKey: server.secretKey,
    faults,
    figures,
    folder: disk,
    limit: (refusal: Refusal) => void Object.assign(faults, { refusal, room: 60 * 2 ** 20 }),
    unlimit: () => void (faults.room = Infinity),
    takeOut,
    putBack,
    /** An empty disk instead, with a bucket that someone created. */
    swap(): void {
      takeOut();
      for (const part of ["objects", "uploads", "trash"]) mkdirSync(join(disk, part), { recursive: true });
    },
    swapBack(): void {
      rmSync(disk, { recursive: true });
      putBack();
    },
    async close() {
      await front.close();
      await server.close();
    },
  };
}

const refusal = (status: number, code: string, message: string) =>
  new Response(
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
    { status },
  );

/** A server in front of another one, as slow as it is told to be; what `refuse` answers is not passed on. */
export function frontOf(
  target: string,
  faults: { pause: number },
  refuse: (request: Request) => Response | undefined = () => undefined,
) {
  const front = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    maxRequestBodySize: 2 ** 40,
    async fetch(request, server) {
      server.timeout(request, 0);
      await Bun.sleep(faults.pause);
      const refused = refuse(request);
      if (refused) return refused;
      const { method, headers, url } = request;
      const { pathname, search } = new URL(url);
      const body = method === "PUT" || method === "POST" ? await request.bytes() : null;
      return fetch(target + pathname + search, { method, headers, body, redirect: "manual" });
    },
  });
  return { endpoint: `http://127.0.0.1:${front.port}`, close: () => front.stop(true) };
}

/** Bytes of all files under a folder. */
function usedOn(folder: string): number {
  try {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return files.reduce((sum, { parentPath, name }) => sum + (sizeOf(join(parentPath, name)) ?? 0), 0);
  } catch {
    return 0; // it is taken out
  }
}

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size;
