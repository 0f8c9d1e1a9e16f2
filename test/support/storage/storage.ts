import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EmbeddedNode, startEmbeddedNode } from "../../../src/storage/embedded/node";
import type { Embed } from "../../../src/storage/nodes/configured";

/** Bytes of a part in tests: the fewest that S3 servers take for any part but the last. */
export const smallPart = 5 * 2 ** 20;
/** A fifth of that, for tests of pages, which never send to an S3 server. */
export const smallestPart = 2 ** 20;

let shared: Promise<EmbeddedNode> | undefined;
const origins = new Set<string>(); // of all services of this process

/** All tests of this process upload to that server from now on. */
export const useServer = (server: Omit<EmbeddedNode, "freeBytes">): void =>
  void (shared = Promise.resolve({ ...server, freeBytes: 10 * 2 ** 30 }));

/** One storage node for all tests of a process, started by the first that uploads. */
export const embedForTests: Embed = async (config, log) => {
  for (const origin of config.CORS_ORIGINS) origins.add(origin);
  shared ??= startEmbeddedNode({ folder: temporaryFolder(), port: 0, origins, log, minPartBytes: 1 });
  return { ...(await shared), close: async () => {} };
};

/** A folder for the lifetime of this process. `bun test` does not announce its end, so the next run cleans up. */
export function temporaryFolder(): string {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = /^postroom-test-(\d+)-/.exec(name) ?? [];
    if (pid && !isRunning(Number(pid))) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
  const folder = join(tmpdir(), `postroom-test-${process.pid}-${crypto.randomUUID()}`);
  mkdirSync(folder);
  return folder;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
