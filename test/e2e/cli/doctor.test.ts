import { Database } from "bun:sqlite";
import { chmodSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, setDefaultTimeout, test } from "bun:test";
import { createLog } from "../../../src/platform/log";
import { startEmbeddedNode } from "../../../src/storage/embedded/node";
import { postroom, startService } from "../../support/processes";
import { bucketCors } from "../../support/storage/bucket-cors";
import { cliService, rows } from "./service";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

test("the doctor examines a running service and an installation that was never started, and changes nothing", async () => {
  using at = cliService();
  using fresh = cliService();
  await using service = await startService(at.dataDir);
  const env = { PORT: String(service.port) };
  const healthy = await postroom(at.dataDir, ["doctor"], env);
  expect([healthy.code, healthy.err]).toEqual([0, ""]);
  const texts = Object.fromEntries(rows(healthy.out).map(([, check, text]) => [check, text]));
  const limits = expect.stringContaining("open files"); // of the service
  expect(texts).toMatchObject({ port: `The service runs on ${service.port}.`, database: "It is intact.", limits });
  const misspelt = await postroom(at.dataDir, ["doctor", "--json"], { ...env, METRICSTOKEN: "x" });
  expect(misspelt.code).toBe(1);
  const text = "METRICSTOKEN is not a variable of Postroom. Did you mean METRICS_TOKEN?";
  expect(JSON.parse(misspelt.out)).toContainEqual({ check: "config", verdict: "wrong", text });

  const stranger = await postroom(fresh.dataDir, ["doctor"], env); // it does not know the secret of the service
  expect([stranger.code, stranger.out]).toEqual([1, expect.stringContaining("is taken by another program")]);
  await service.end();
  expect(await postroom(fresh.dataDir, ["doctor"], env)).toMatchObject({ code: 0, err: "" });
  expect(fresh.created()).toBe(false);
});

test("doctor and “nodes test” with other origins than the service leave the rule for pages to it", async () => {
  using at = cliService();
  const log = createLog("silent");
  const node = await startEmbeddedNode({ folder: at.file("s3"), port: 0, origins: new Set(), log });
  const bucket = bucketCors(node);
  await using servers = new AsyncDisposableStack();
  servers.defer(() => node.close());
  servers.defer(() => bucket.close());
  const env = {
    MINIO_ENDPOINT: bucket.endpoint,
    MINIO_REGION: node.region,
    MINIO_BUCKET: node.bucket,
    MINIO_ACCESS_KEY: node.accessKey,
    MINIO_SECRET_KEY: node.secretKey,
  };
  await using service = await startService(at.dataDir, { ...env, BASE_URL: "https://site.example" });
  const probes = () => {
    using db = new Database(join(at.dataDir, "postroom.sqlite"), { readonly: true });
    return JSON.stringify(db.query("select probe from storage_nodes").values());
  };
  while (!probes().includes("cors https://site.example")) await Bun.sleep(20);
  const tested = await postroom(at.dataDir, ["nodes", "test", "default"], env);
  expect([tested.code, rows(tested.out).find(([, check]) => check === "cors https://site.example")?.[2]]).toEqual([
    0,
    "ok",
  ]);
  expect(tested.err).toStartWith("default: tested for pages of https://site.example, as by the service.");
  const { out } = await postroom(at.dataDir, ["doctor"], { ...env, PORT: String(service.port) });
  expect(rows(out).find(([, check]) => check === "storage")?.[2]).toContain(
    `does not name http://localhost:${service.port}`,
  );
  expect([bucket.allowed(), bucket.writes()]).toEqual([["https://site.example"], 1]);
});

test("the doctor believes what timedatectl says of the clock, unless it fails", async () => {
  using at = cliService();
  const path = at.file("timedatectl", "#!/bin/sh\necho NTPSynchronized=no\nexit $FAILURE\n");
  chmodSync(path, 0o755);
  const clock = async (failure: string) => {
    const env = { PATH: `${dirname(path)}:${process.env.PATH}`, BASE_URL: "http://127.0.0.1:9", FAILURE: failure };
    const { out } = await postroom(at.dataDir, ["doctor"], env);
    return rows(out).find(([, check]) => check === "clock")?.[2];
  };
  expect(await clock("0")).toBe("No other clock could be asked. Turn on NTP: timedatectl set-ntp true");
  expect(await clock("1")).toBe("No other clock could be asked.");
});
