import { idleTimeoutSeconds } from "../../http/listen";
import { maxPutBytes, type Waits } from "./receive";
import { mkdir, statfs } from "node:fs/promises";
import { described, errorCode, type Log } from "../../platform/log";
import { failure, Refused } from "./responses";
import { authenticate, type Keys, keysIn, region } from "./authentication";
import * as buckets from "./objects";

type Serve = (request: Request, server: Bun.Server<undefined>) => Promise<Response>;

function listen(port: number, fetch: Serve): Bun.Server<undefined> {
  const options = { hostname: "127.0.0.1", maxRequestBodySize: maxPutBytes, fetch };
  try {
    return Bun.serve({ ...options, port });
  } catch (error) {
    if (errorCode(error) !== "EADDRINUSE") throw error;
    return Bun.serve({ ...options, port: 0 });
  }
}

function corsHeaders({ headers }: Request, origins: ReadonlySet<string>): Record<string, string> | undefined {
  const origin = headers.get("origin");
  if (!origin || !origins.has(origin)) return undefined;
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "GET, HEAD, PUT",
    "access-control-allow-headers": headers.get("access-control-request-headers") ?? "",
    "access-control-expose-headers": "ETag",
    "access-control-max-age": "3000",
    vary: "Origin",
  };
}

export type EmbeddedNode = Keys & {
  endpoint: string;
  region: string;
  bucket: string;
  /** Bytes that uploads may still use; a GiB of the disk stays free. */
  freeBytes: number;
  close(): Promise<void>;
};

const bucket = "uploads";

type Options = {
  folder: string;
  /** The preferred port; 0 for any. */
  port: number;
  /** Sites whose pages may upload and download. */
  origins: ReadonlySet<string>;
  log: Log;
  /** The fewest bytes of a part that is not the last: S3's 5 MiB, or fewer for tests that should send less. */
  minPartBytes?: number;
  /** How long who sends a part may be silent, or less for tests that should not wait. */
  idleSeconds?: number;
};

/**
 * A small S3 server for the first run, so that uploads work before there is a MinIO. It has a port of its own on the
 * loopback interface: the files' bytes never pass through the service's own routes. Files are stored in `folder`. If it
 * is killed at any moment, every object is complete or absent afterwards.
 */
export async function startEmbeddedNode(options: Options): Promise<EmbeddedNode> {
  const { folder, port, origins, log, minPartBytes = 5 * 2 ** 20, idleSeconds = idleTimeoutSeconds } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await buckets.create(buckets.folderOf(folder, bucket));
  await buckets.emptyTrash(folder);
  const keys = await keysIn(folder);

  async function respond(request: Request, waits: Waits): Promise<Response> {
    const url = new URL(request.url);
    try {
      authenticate(request, url, keys);
      const { answer } = await import("./requests"); // not loaded at start-up
      return await answer(folder, request, url, { minPartBytes, waits });
    } catch (error) {
      if (!(error instanceof Refused)) log.error("storage failed", { method: request.method, ...described(error) });
      return failure(error instanceof Refused ? error : new Refused(500, "InternalError"), request.method);
    }
  }

  const server = listen(port, async (request, server) => {
    const cors = corsHeaders(request, origins);
    if (request.method === "OPTIONS") return new Response(null, { status: cors ? 200 : 403, headers: cors ?? {} });
    // Bun would count all the time that a large file takes, so it counts only while nothing arrives
    const waits = (isWaiting: boolean) => server.timeout(request, isWaiting ? idleSeconds : 0);
    waits(false);
    const response = await respond(request, waits);
    for (const [name, value] of Object.entries(cors ?? {})) response.headers.set(name, value);
    return response;
  });
  const { bavail, bsize } = await statfs(folder);
  return {
    ...keys,
    endpoint: `http://127.0.0.1:${server.port}`,
    region,
    bucket,
    freeBytes: Math.max(0, bavail * bsize - 2 ** 30),
    close: () => server.stop(true),
  };
}
