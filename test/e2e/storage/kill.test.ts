import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { openDb } from "../../../db/open";
import * as uploads from "../../../db/storage/uploads";
import { listUploads } from "../../support/storage/upload-rows";
import { loadConfig } from "../../../src/platform/config";
import { createLog } from "../../../src/platform/log";
import { openStorage } from "../../../src/storage";
import { openS3 } from "../../../src/storage/s3/s3";
import type { Step } from "../../../src/storage/uploads/plan";
import { locationOf } from "../../support/look";
import { temporaryFolder } from "../../support/processes";
import { testTimeoutMs, within } from "../../support/within";
import { agreed, audit } from "./audit";
import { type How, size } from "./crash";
import { openServer, type Server } from "./server";

setDefaultTimeout(testTimeoutMs);

let server: Server;
beforeAll(async () => void (server = await openServer()));
afterAll(() => server.close());

type Crash = { how: How; after: Step; time?: number; found: uploads.Upload["state"]; ends: uploads.Upload["state"] };

// A process is killed at each step, and another one sweeps.
test.each<Crash>([
  { how: "put", after: "reserved", found: "pending", ends: "aborted" },
  { how: "put", after: "initiated", found: "pending", ends: "aborted" },
  { how: "put", after: "opened", found: "open", ends: "open" },
  { how: "put", after: "completing", found: "completing", ends: "completed" },
  { how: "put", after: "completed at the provider", found: "completing", ends: "completed" },
  { how: "put", after: "settled", found: "completed", ends: "completed" },
  { how: "abort", after: "aborting", found: "aborting", ends: "aborted" },
  { how: "abort", after: "aborted at the provider", found: "aborting", ends: "aborted" },
  { how: "abort", after: "settled", found: "aborted", ends: "aborted" },
  { how: "parts", after: "reopening", found: "pending", ends: "aborted" },
  { how: "parts", after: "aborted at the provider", found: "pending", ends: "aborted" },
  { how: "parts", after: "initiated", time: 2, found: "pending", ends: "aborted" },
  { how: "parts", after: "opened", time: 2, found: "open", ends: "open" },
  { how: "parts", after: "completing", found: "completing", ends: "completed" },
  { how: "parts", after: "completed at the provider", found: "completing", ends: "completed" },
])("$how, killed after: $after; $found, then $ends", async ({ how, after, time = 1, found, ends }) => {
  using folder = temporaryFolder();
  const env = environment(folder.path);
  const file = join(folder.path, "postroom.sqlite");
  const db = await openDb(file);
  const program = [join(import.meta.dir, "crash.ts"), locationOf(db, file), how, after, String(time)];
  const child = Bun.spawn([process.execPath, ...program], {
    env: { ...env, PATH: process.env.PATH ?? "" },
    stderr: "inherit",
  });
  await within(child.exited, `a process that dies after: ${after}`);
  expect(child.signalCode).toBe("SIGKILL");

  const clock = { time: Date.now() };
  const now = () => new Date(clock.time);
  const storage = openStorage({ config: loadConfig(env), db, log: createLog("silent"), now });
  expect(await listUploads(db)).toMatchObject([{ upload: { state: found } }]);
  await storage.nodes.open();
  for (const wait of [60_000, 1_000, 3_000, 60_000]) {
    clock.time += wait;
    await storage.sweep();
  }
  const used = ends === "completed" ? size : 0;
  const reserved = ends === "open" ? size : 0;
  const s3 = openS3({ ...server, publicEndpoint: server.endpoint }, 60_000);
  expect(await audit(db, s3)).toEqual(agreed([ends], used, reserved));
  await storage.close();
  await db.close();
});

function environment(dataDir: string) {
  return {
    DATA_DIR: dataDir,
    APP_SECRET: "a-secret-for-these-crashes-only-0123",
    MINIO_ENDPOINT: server.endpoint,
    MINIO_ACCESS_KEY: server.accessKey,
    MINIO_SECRET_KEY: server.secretKey,
    MINIO_REGION: server.region,
    MINIO_BUCKET: server.bucket,
  };
}
