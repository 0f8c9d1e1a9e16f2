import { readdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { startEmbeddedNode } from "../../src/storage/embedded/node";
import { createLog } from "../../src/telemetry/log";
import { temporaryFolder } from "./storage";

const bucket = "parcels";

export type Refusal = "disk" | "bucketQuota" | "quota";

/** How servers refuse what finds no room, in their own words. */
const refusals: Record<Refusal, [status: number, code: string, message: string]> = {
  /** MinIO on a full disk. */
  disk: [507, "XMinioStorageFull", "Storage backend has reached its minimum free drive threshold."],
  /** MinIO and Ceph, when the bucket has a quota. */
  bucketQuota: [400, "XMinioAdminBucketQuotaExceeded", "Bucket quota exceeded"],
  quota: [403, "QuotaExceeded", ""],
};

/** An S3 server of its own on a disk that can be small, slow, taken out, put back, and swapped for an empty one. */
export async function smallDisk() {
  const folder = temporaryFolder();
  const server = await startEmbeddedNode({ folder, port: 0, origins: new Set(), log: createLog("silent") });
  const disk = join(folder, "buckets", bucket);
  const faults = { room: Infinity, refusal: "disk" as Refusal, pause: 0 };
  const figures = { refused: 0, taken: 0, trialBytes: 0 };

  const front = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    maxRequestBodySize: 2 ** 40,
    async fetch(request, server) {
      server.timeout(request, 0);
      const { pathname, search } = new URL(request.url);
      await Bun.sleep(faults.pause);
      const isPart = request.method === "PUT" && search.includes("uploadId=");
      const length = Number(request.headers.get("content-length") ?? 0);
      const isRefused = isPart && usedOn(disk) + length > faults.room;
      if (isPart) figures[isRefused ? "refused" : "taken"]++;
      if (isPart && pathname.includes("/probe/")) figures.trialBytes += length;
      if (isRefused) return refusal(...refusals[faults.refusal]);
      return pass(request, pathname + search);
    },
  });

  async function pass(request: Request, path: string): Promise<Response> {
    const hasBody = request.method === "PUT" || request.method === "POST";
    const body = hasBody ? await request.bytes() : null;
    const { method, headers } = request;
    return fetch(server.endpoint + path, { method, headers, body, redirect: "manual" });
  }

  return {
    endpoint: `http://127.0.0.1:${front.port}`,
    bucket,
    accessKey: server.accessKey,
    secretKey: server.secretKey,
    faults,
    figures,
    folder: disk,
    takeOut: () => renameSync(disk, `${disk}.out`),
    putBack: () => renameSync(`${disk}.out`, disk),
    async close() {
      await front.stop(true);
      await server.close();
    },
  };
}

const refusal = (status: number, code: string, message: string) =>
  new Response(
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
    { status },
  );

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
