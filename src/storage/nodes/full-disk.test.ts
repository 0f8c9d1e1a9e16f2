import { afterAll, expect, test } from "bun:test";
import { start } from "../../../test/support/storage/storage-pages";
import { openStorage } from "..";

// A MinIO whose disk has not one byte left says InternalError, and its metrics still report the free space of before

const closing: (() => unknown)[] = [];
afterAll(() => closing.forEach((close) => close()));

const full = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>InternalError</Code><Message>We encountered an internal error, please try again.: cause(no space left on device)</Message></Error>`;
const metrics = `minio_cluster_capacity_usable_free_bytes{server="127.0.0.1:9000"} 3.14e+08\n`;

/** What it says while its disk is full, to an administrator too if `figures` are given. */
function fullMinio(figures?: object) {
  const headers = { server: "MinIO" };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch({ method, url }) {
      const { pathname } = new URL(url);
      if (pathname === "/minio/v2/metrics/cluster") return new Response(metrics);
      if (pathname.endsWith("/storageinfo")) return Response.json(figures ?? {}, { status: figures ? 200 : 403 });
      if (method === "POST") return new Response(full, { status: 500, headers });
      return new Response("<ListBucketResult><KeyCount>0</KeyCount></ListBucketResult>", { headers });
    },
  });
  closing.push(() => server.stop(true));
  return server.url.origin;
}

test("it is called full, with no space left, and uploads go elsewhere without asking it", async () => {
  const { addNode, embedded, grant, nodeNamed, storage } = await start();
  const { id } = await addNode("attic", fullMinio());
  const { findings, error } = await storage.nodes.test({ id });
  expect([findings.initiate, error]).toEqual(["NoSpaceLeft", "initiate: NoSpaceLeft"]);
  const node = await storage.nodes.find("attic");
  expect(node).toMatchObject({ checkError: null, fullSince: expect.any(Date), refusedBytes: 0, freeBytes: 0 });
  const found = await storage.nodes.capabilities({ ...(await nodeNamed("attic")), kind: "managed" });
  expect(found.find(({ check }) => check === "initiate")?.fix?.problem).toContain("The server is full");
  expect((await grant())._meta.nodeId).toBe(embedded.id);
  expect((await nodeNamed("attic")).failures).toBe(0);
});

test("a reservation that meets it says so too, and goes to the next node", async () => {
  const { addNode, embedded, grant, nodeNamed } = await start();
  await addNode("attic", fullMinio());
  expect((await grant())._meta.nodeId).toBe(embedded.id);
  expect(await nodeNamed("attic")).toMatchObject({ fullSince: expect.any(Date), refusedBytes: 0, failures: 0 });
});

test("an administrator's current figures come before the metrics, which lag behind", async () => {
  const { addNode, clock, storage } = await start();
  const disk = { pool_index: 0, disk_index: 0, availspace: 4_096 };
  const { id } = await addNode("attic", fullMinio({ Disks: [disk], Backend: { StandardSCData: [1] } }));
  await storage.nodes.test({ id });
  expect(await storage.nodes.find("attic")).toMatchObject({
    toldFreeBytes: 4_096,
    probe: { freeAt: new Date(clock.time).toISOString() },
  });
});

test("a node that is added after a test has the free space that it reports, not all of its capacity", async () => {
  const { clock, embedded, storage } = await start();
  const disk = { pool_index: 0, disk_index: 0, availspace: 4_096 };
  const endpoint = fullMinio({ Disks: [disk], Backend: { StandardSCData: [1] } });
  const { bucket, region } = embedded;
  const place = { name: "attic", endpoint, publicEndpoint: endpoint, region, bucket, capacityBytes: 5e12 };
  const keys = { accessKey: "key", secretKey: "secret" };
  await storage.nodes.add({ ...place, ...keys }, { actor: "test" }, { findings: { bucket: "ok" } });
  const probe = { bucket: "ok", freeAt: new Date(clock.time).toISOString() };
  expect(await storage.nodes.find("attic")).toMatchObject({ freeBytes: 4_096, probe });
});

test("the figure of a node that no longer responds stays, with its age", async () => {
  const { addNode, clock, config, db, log, now, storage } = await start();
  let isSilent = false;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch({ url }) {
      if (isSilent) await new Promise(() => {});
      const isFigure = url.endsWith("/metrics/cluster");
      return new Response(isFigure ? metrics : "<ListBucketResult/>", { headers: { server: "MinIO" } });
    },
  });
  closing.push(() => server.stop(true));
  const { id } = await addNode("attic", server.url.origin);
  await storage.nodes.test({ id });
  const before = new Date(clock.time).toISOString();
  isSilent = true;
  clock.time += 3_600_000;
  const impatient = openStorage({ config, db, log, now, deadline: 300 });
  expect((await impatient.nodes.test({ id })).error).toBe("bucket: Timeout");
  expect(await storage.nodes.find("attic")).toMatchObject({ freeBytes: 3.14e8, probe: { freeAt: before } });
});
