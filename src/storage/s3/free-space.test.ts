import { afterAll, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import * as storageNodes from "../../../db/storage/nodes/nodes";
import { look } from "../../../test/support/look";
import { start } from "../../../test/support/storage/storage-pages";
import { openS3 } from "./s3";

// What servers report about their own capacity, in the formats of MinIO and Ceph.

const closing: (() => unknown)[] = [];
afterAll(() => closing.forEach((close) => close()));

type Answers = Record<string, (request: Request) => Response>;
const keys = { accessKey: "key", secretKey: "secret", region: "us-east-1", bucket: "uploads" };

/** A server with these responses, by method and path or by method alone. It rejects everything else. */
function server(answers: Answers) {
  const running = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      return (
        (answers[`${request.method} ${pathname}`] ?? answers[request.method])?.(request) ??
        new Response(null, { status: 403 })
      );
    },
  });
  closing.push(() => running.stop(true));
  return running.url.origin;
}
const toldBy = (answers: Answers) => {
  const endpoint = server(answers);
  return openS3({ ...keys, endpoint, publicEndpoint: endpoint }, 60_000).reportedFree();
};

const isMinio = () => new Response(null, { headers: { server: "MinIO" } });
const metrics = (
  free: string,
) => `# HELP minio_cluster_capacity_usable_free_bytes Total free usable capacity online in the cluster
# TYPE minio_cluster_capacity_usable_free_bytes gauge
minio_cluster_capacity_usable_free_bytes{server="127.0.0.1:9000"} ${free}
# HELP minio_cluster_capacity_usable_total_bytes Total usable capacity online in the cluster
# TYPE minio_cluster_capacity_usable_total_bytes gauge
minio_cluster_capacity_usable_total_bytes{server="127.0.0.1:9000"} 3.14572e+08
`;

test("MinIO reports it in its metrics, to a token signed with its own keys", async () => {
  let token = "";
  const free = await toldBy({
    "HEAD /uploads": isMinio,
    "GET /minio/v2/metrics/cluster": ({ headers }) => {
      token = headers.get("authorization") ?? "";
      return new Response(metrics("2.3068672e+07"));
    },
  });
  expect(free).toEqual({ bytes: 23_068_672, isCertain: true });
  const [head = "", claims = "", seal] = token.replace("Bearer ", "").split(".");
  expect(seal).toBe(createHmac("sha512", "secret").update(`${head}.${claims}`).digest("base64url"));
  expect(JSON.parse(String(Buffer.from(claims, "base64url")))).toEqual({
    ...{ exp: expect.any(Number), iss: "prometheus", sub: "key" },
  });
});

test("MinIO reports it to administrators if metrics are closed: disks without parity count", async () => {
  const disk = (disk_index: number, availspace?: number) => ({
    state: "ok",
    pool_index: 0,
    set_index: 0,
    disk_index,
    availspace,
  });
  const info = {
    Disks: [disk(0, 1_000), disk(1), disk(2, 500), disk(3, 900)],
    Backend: { StandardSCData: [3], StandardSCParity: 1 },
  };
  expect(
    await toldBy({ "HEAD /uploads": isMinio, "GET /minio/admin/v3/storageinfo": () => Response.json(info) }),
  ).toEqual({ bytes: 1_500, isCertain: true });
});

const ceph = (headers: Record<string, string>) => ({
  "HEAD /uploads": ({ url }: Request) =>
    new Response(null, {
      headers: {
        "x-rgw-quota-user-size": "-1",
        "x-rgw-quota-bucket-size": "-1",
        ...headers,
        ...(url.includes("read-stats") && { "x-rgw-bytes-used": "70" }),
      },
    }),
});

test.each([
  ["of the bucket", { "x-rgw-bytes-used": "60", "x-rgw-quota-bucket-size": "100" }, 40],
  ["of the user", { "x-rgw-bytes-used": "60", "x-rgw-quota-bucket-size": "100", "x-rgw-quota-user-size": "80" }, 20],
  ["that is exceeded", { "x-rgw-bytes-used": "120", "x-rgw-quota-bucket-size": "100" }, 0],
  ["whose use is told only when it is asked", { "x-rgw-quota-bucket-size": "100" }, 30],
])("Ceph reports the quota %s", async (_, headers, free) => {
  expect(await toldBy(ceph(headers as Record<string, string>))).toEqual({ bytes: free, isCertain: false });
});

test.each([
  ["Ceph without a quota", ceph({ "x-rgw-bytes-used": "60" })],
  ["any other server", { "HEAD /uploads": () => new Response(null) }],
  ["MinIO for keys of no administrator", { "HEAD /uploads": isMinio }],
  [
    "a server that lies in its shape",
    {
      "HEAD /uploads": isMinio,
      "GET /minio/v2/metrics/cluster": () => new Response(metrics("NaN")),
      "GET /minio/admin/v3/storageinfo": () => new Response("[]"),
    },
  ],
  ["nobody who refuses", {}],
])("%s reports nothing, and that is no error", async (_, answers) => {
  expect(await toldBy(answers as Answers)).toBeUndefined();
});

test("a node's own report takes precedence over its capacity; before a 507 it is asked again", async () => {
  const { addNode, clock, db, embedded, grant, request, storage } = await start();
  let free = "1000";
  const endpoint = server({
    "HEAD /uploads": isMinio,
    "GET /uploads": () => new Response("<ListBucketResult><KeyCount>0</KeyCount></ListBucketResult>"),
    "GET /minio/v2/metrics/cluster": () => new Response(metrics(free)),
  });
  const { id } = await addNode("cellar", endpoint, { bucket: "uploads" });
  const cellar = async () => (await storageNodes.find(db, id)) ?? embedded;
  await storage.nodes.test(await cellar());
  expect((await cellar()).toldFreeBytes).toBe(1_000);
  expect((await storage.nodes.list())[0]).toMatchObject({ name: "cellar", freeBytes: 1_000 });
  expect((await grant({ size: 1_001 }))._meta.nodeId).toBe(embedded.id);

  await look(db, "update storage_nodes set check_error = null where id = ?", [id]); // as if it could do more than report
  expect((await request({ size: embedded.capacityBytes })).status).toBe(507);
  free = String(2 * embedded.capacityBytes);
  clock.time += 10_000;
  expect((await request({ size: embedded.capacityBytes })).status).toBe(500); // it may have space now, but opens nothing
  expect((await cellar()).toldFreeBytes).toBe(2 * embedded.capacityBytes);
});

test.each([
  ["is counted when an upload above it is refused", true, 40],
  ["is not counted when it is turned off", false, null],
])("a quota that Ceph names %s", async (_, isOn, free) => {
  const { addNode, db, embedded, storage } = await start();
  const quota = '<?xml version="1.0" encoding="UTF-8"?><Error><Code>QuotaExceeded</Code><Message></Message></Error>';
  const endpoint = server({
    ...ceph({ "x-rgw-bytes-used": "60", "x-rgw-quota-user-size": "100" }),
    "GET /uploads": () => new Response("<ListBucketResult><KeyCount>0</KeyCount></ListBucketResult>"),
    POST: () => new Response("<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>"),
    PUT: () => (isOn ? new Response(quota, { status: 403 }) : new Response(null)),
  });
  const { id } = await addNode("rados", endpoint, { bucket: "uploads" });
  await storage.nodes.test({ id });
  expect([(await storageNodes.find(db, id))?.toldFreeBytes, embedded.toldFreeBytes]).toEqual([free, null]);
});
