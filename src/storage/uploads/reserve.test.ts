import { afterAll, expect, spyOn, test } from "bun:test";
import * as audit from "../../../db/audit";
import { drain } from "../../../db/storage/nodes/edit";
import * as storageNodes from "../../../db/storage/nodes/nodes";
import { look } from "../../../test/support/look";
import { s3Proxy } from "../../../test/support/storage/s3-proxy";
import { path, start } from "../../../test/support/storage/storage-pages";
import { temporaryFolder } from "../../../test/support/storage/storage";
import { testService } from "../../../test/support/service";
import { createLog } from "../../platform/log";
import { openStorage } from "..";
import { startEmbeddedNode } from "../embedded/node";

const closing: (() => unknown)[] = [];
afterAll(() => closing.forEach((close) => close()));

const large = 6 * 2 ** 30; // bytes: more than S3 accepts in one PUT, and no more than a real disk has

/** The service, with a way to add nodes that report a given server name. */
async function setUp() {
  const service = await start();
  const { db, embedded, nodeAt, now } = service;
  await drain(db, embedded.id, { actor: "test" }, now()); // it accepts 5 TiB
  const call = (name: string, server: string, more: Partial<storageNodes.NewNode> = {}) => {
    const proxy = s3Proxy(embedded.endpoint, { server });
    closing.push(proxy.close);
    return nodeAt(name, proxy.endpoint, more);
  };
  return { ...service, call, heard: async (name: string) => (await storageNodes.byName(db, name))?.server };
}

test("more than 5 GiB in one PUT goes to a MinIO, not to a Ceph with more free space", async () => {
  const { call, grant, storage } = await setUp();
  const [ceph, minio] = [await call("ceph", "Ceph Object Gateway (pacific)"), await call("minio", "MinIO")];
  await storage.nodes.testAll();
  expect((await grant({ size: large }))._meta.nodeId).toBe(minio.id);
  expect((await grant({ size: large, multipart: true }))._meta.nodeId).toBe(ceph.id);
});

test("a node that was never heard is heard before a large PUT is refused", async () => {
  const { call, grant, heard } = await setUp();
  const minio = await call("minio", "MinIO/RELEASE.2025-09-07T16-13-09Z");
  expect(await heard("minio")).toBeNull();
  expect((await grant({ size: large }))._meta.nodeId).toBe(minio.id);
  expect(await heard("minio")).toBe("MinIO/RELEASE.2025-09-07T16-13-09Z");
});

test.each(["Ceph Object Gateway (pacific)", "nginx", "NotMinIO", "AmazonS3", "M".repeat(65)])(
  "507 where only %p has room for a PUT above 5 GiB, with the way out; in parts it is taken",
  async (server) => {
    const { bytes, call, request } = await setUp();
    await call("other", server);
    const answer = await request({ size: large });
    expect([answer.status, await answer.json()]).toEqual([
      507,
      {
        success: false,
        data: null,
        error: {
          code: "INSUFFICIENT_STORAGE",
          message: "Insufficient storage",
          details: [{ field: "multipart", message: "must be true: no storage node takes so much in one PUT" }],
        },
      },
    ]);
    expect(await bytes("other")).toEqual({ used: 0, reserved: 0 });
    expect((await request({ size: large, multipart: true })).status).toBe(200);
  },
);

test("a Ceph that does not name itself is known by the numbers of its requests", async () => {
  const { embedded, heard, nodeAt, storage } = await setUp();
  const numbers = { server: "", "x-amz-request-id": "tx00000f2a35063b55bf247-006b02f802-1024-default" };
  const proxy = s3Proxy(embedded.endpoint, numbers);
  closing.push(proxy.close);
  await nodeAt("old", proxy.endpoint);
  await storage.nodes.testAll();
  expect(await heard("old")).toBe("Ceph");
});

test("507 suggests no multipart upload where that would not fit either", async () => {
  const { call, request } = await setUp();
  await call("other", "nginx", { capacityBytes: large - 1 });
  for (const multipart of [true, false]) {
    const answer = await request({ size: large, multipart });
    const error = { code: "INSUFFICIENT_STORAGE", message: "Insufficient storage" };
    expect([answer.status, await answer.json()]).toEqual([507, { success: false, data: null, error }]);
  }
});

test("more than a node's capacity is 507 only if the node answers, and 500 while any does not (D34)", async () => {
  const { call, nodeAt, request, db, now, clock } = await setUp();
  const answer = async () => {
    const response = await request({ size: 1_001 });
    return [response.status, ((await response.json()) as { error: { message: string } }).error.message];
  };
  await nodeAt("small", "http://127.0.0.1:1", { capacityBytes: 1_000 });
  const full = [507, "Insufficient storage"];
  const failed = [500, "Upload failed"];
  expect(await Promise.all([answer(), answer()])).toEqual([failed, failed]);
  await call("small", "MinIO", { capacityBytes: 1_000 }); // at an address that answers
  expect(await answer()).toEqual(full);
  const until = now().getTime() + 60_000;
  await look(db, `update storage_nodes set failures = 4, down_until = ${until} where name = 'small'`);
  expect(await answer()).toEqual(failed); // a paused node is not asked
  clock.time += 60_000;
  expect(await answer()).toEqual(full);
  await nodeAt("other", "http://127.0.0.1:1", { capacityBytes: 10 });
  expect(await answer()).toEqual(failed);
});

test("a node configured to accept more gets it", async () => {
  const { call, grant } = await setUp();
  const tuned = await call("ceph", "Ceph Object Gateway (pacific)", { maxPutBytes: large });
  expect((await grant({ size: large }))._meta.nodeId).toBe(tuned.id);
});

test("MINIO_MAX_PUT says it for the configured node, from the next start on", async () => {
  const { config, db, log, now } = await start();
  const minio = { MINIO_ENDPOINT: "http://127.0.0.1:1", MINIO_ACCESS_KEY: "key", MINIO_SECRET_KEY: "secret" };
  const most = async (more: object = {}) => {
    await openStorage({ config: { ...config, ...minio, ...more }, db, log, now }).nodes.open();
    return (await storageNodes.byName(db, "default"))?.maxPutBytes;
  };
  expect([await most(), await most({ MINIO_MAX_PUT: large }), await most()]).toEqual([5 * 2 ** 30, large, 5 * 2 ** 30]);
});

test("what a server was called is forgotten when the node moves", async () => {
  const { call, embedded, heard, storage } = await setUp();
  const { id } = await call("minio", "MinIO");
  await storage.nodes.testAll();
  await storage.nodes.edit(id, { name: "minio" }, { actor: "test" });
  expect(await heard("minio")).toBe("MinIO");
  await storage.nodes.edit(id, { endpoint: embedded.endpoint }, { actor: "test" });
  expect(await heard("minio")).toBeNull();
});

test("exactly 5 GiB go to any node in one PUT", async () => {
  const { call, request } = await setUp();
  await call("other", "Ceph Object Gateway (pacific)");
  expect((await request({ size: 5 * 2 ** 30 })).status).toBe(200);
});

/** A service whose only node can be switched off and on again, at the same address and with the same files. */
async function onOneNode() {
  const options = { folder: temporaryFolder(), origins: new Set<string>(), log: createLog("silent") };
  let node = await startEmbeddedNode({ ...options, port: 0 });
  const port = Number(new URL(node.endpoint).port);
  closing.push(() => node.close());
  const service = await testService({ NODE_ENV: "production" }); // without an embedded node
  const { endpoint, region, bucket, accessKey, secretKey } = node;
  const access = { endpoint, publicEndpoint: endpoint, region, bucket, accessKey, secretKey };
  await service.storage.nodes.add({ ...access, name: "only", capacityBytes: 1e12 }, { actor: "test" });
  const key = await service.key();
  return {
    ...service,
    off: () => node.close(),
    on: async () => void (node = await startEmbeddedNode({ ...options, port })),
    status: async () => (await service.post(path, { filename: "a", mimeType: "a/b", size: 5 }, key)).status,
  };
}

test("when the only node is back, so are reservations, though it was paused", async () => {
  const { db, get, off, on, now, status } = await onOneNode();
  expect(await status()).toBe(200);
  await off();
  for (let i = 0; i < 4; i++) expect(await status()).toBe(500);
  const paused = await storageNodes.byName(db, "only");
  expect(paused && storageNodes.isPaused(paused, now())).toBe(true);
  expect(await (await get("/readyz")).json()).toMatchObject({ checks: { storage: { detail: "1 of 1 nodes paused" } } });
  await on();
  expect(await status()).toBe(200); // the service's clock has not moved
  expect(await storageNodes.byName(db, "only")).toMatchObject({ failures: 0, downUntil: null });
  const { events } = await audit.list(db, { group: "storage-node" }, { page: 1, per: 10 });
  expect(events.map(({ action }) => action).slice(0, 2)).toEqual(["storage-node.return", "storage-node.rest"]);
});

/** A service whose only node responds to nothing until told to, and then that it is busy. */
async function onSlowNode() {
  const service = await start();
  const { db, embedded, nodeAt, now } = service;
  await drain(db, embedded.id, { actor: "test" }, now());
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  let calls = 0;
  const slow = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch() {
      calls++;
      asked.resolve();
      await answer.promise;
      return new Response(null, { status: 503 });
    },
  });
  closing.push(() => slow.stop(true));
  const node = await nodeAt("slow", `http://127.0.0.1:${slow.port}`);
  return { ...service, node, asked: asked.promise, answer: () => answer.resolve(), calls: () => calls };
}

const wanted = { filename: "a", mimeType: "a/b", size: 5, folderPath: "" };

test("one reservation at a time wakes a node that rests, the others wait for what it finds", async () => {
  const { answer, asked, calls, db, node, now, storage } = await onSlowNode();
  for (let i = 0; i < 3; i++) await storageNodes.recordFailure(db, node.id, "Timeout", now());
  const writes = spyOn(db, "write");
  const all = Array.from({ length: 5 }, () => storage.reserve(wanted).catch(() => "trouble"));
  await asked;
  while (writes.mock.results.length < 6) await Bun.sleep(1); // each has found that it rests, and one has reserved
  await Promise.all(writes.mock.results.map(({ value }) => value));
  answer();
  expect(await Promise.all(all)).toEqual(Array(5).fill("trouble"));
  expect(calls()).toBe(1);
  expect(await storageNodes.byName(db, "slow")).toMatchObject({ failures: 4, reservedBytes: 5 }); // it may have been done
});

test("a request repeated while the first is in progress gets the same response, and the node is called once", async () => {
  const { answer, asked, calls, storage } = await onSlowNode();
  const repeat = (fingerprint: string) =>
    storage.reserveOnce(wanted, { key: "k", fingerprint }).catch((error: Error) => error.message);
  const same = Array.from({ length: 5 }, () => repeat("one"));
  await asked;
  expect(await repeat("another")).toBe("conflict");
  answer();
  expect(new Set(await Promise.all(same)).size).toBe(1);
  expect(calls()).toBe(1);
});
