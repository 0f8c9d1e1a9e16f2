import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createLog } from "../../src/log";
import { type EmbeddedNode, startEmbeddedNode } from "../../src/storage/embedded/node";
import { presign } from "../../src/storage/presign";
import { openS3, type S3, type Target } from "../../src/storage/s3";
import { temporaryFolder } from "../../src/storage/testing";
import { isRefusal } from "../../src/storage/trouble";

// What uploads rest on, true of every S3 server. By default of the embedded node; of another one with
// TEST_S3_ENDPOINT, TEST_S3_ACCESS_KEY and TEST_S3_SECRET_KEY.
const { TEST_S3_ENDPOINT, TEST_S3_ACCESS_KEY = "", TEST_S3_SECRET_KEY = "" } = process.env;

setDefaultTimeout(30_000); // a fresh cluster makes its pools first

let embedded: EmbeddedNode | undefined;
let target: Target;
let s3: S3;
const newKey = () => `test/${crypto.randomUUID()}`;

beforeAll(async () => {
  const known = { endpoint: TEST_S3_ENDPOINT ?? "", accessKey: TEST_S3_ACCESS_KEY, secretKey: TEST_S3_SECRET_KEY };
  if (!TEST_S3_ENDPOINT)
    embedded = await startEmbeddedNode({
      folder: temporaryFolder(),
      port: 0,
      origins: new Set(),
      log: createLog("silent"),
    });
  const { endpoint, accessKey, secretKey } = embedded ?? known;
  target = { endpoint, publicEndpoint: endpoint, region: "us-east-1", bucket: "postroom-test", accessKey, secretKey };
  s3 = openS3(target, 10_000);
  await s3.ensureBucket();
});
afterAll(() => embedded?.close());

/** An open upload, and how to send to it. */
async function open(size: number, type = "text/plain") {
  const key = newKey();
  const id = await s3.initiate(key, type, "reservation");
  const url = s3.uploadUrl(key, id, size);
  const put = (body: NonNullable<RequestInit["body"]>, init: RequestInit = {}) =>
    fetch(url, { ...init, method: "PUT", body });
  return { key, id, url, put, parts: () => s3.listParts(key, id) };
}

test("what was sent comes back byte for byte, with the type of the reservation and the name of the file", async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(60_000));
  const { key, id, put, parts } = await open(bytes.length, "image/png");
  expect((await put(bytes, { headers: { "content-type": "text/html" } })).status).toBe(200);
  const listed = (await parts()) ?? [];
  expect(listed).toMatchObject([{ part: 1, size: bytes.length }]);
  expect(await s3.stat(key)).toBeUndefined();

  await s3.complete(key, id, listed);
  expect(await s3.stat(key)).toMatchObject({ size: bytes.length });
  const file = await fetch(await s3.downloadUrl(key, 'Ünï "quoted".png'));
  expect(file.headers.get("content-type")).toBe("image/png");
  expect(file.headers.get("content-disposition")).toBe(
    `attachment; filename="_n_ _quoted_.png"; filename*=UTF-8''%C3%9Cn%C3%AF%20%22quoted%22.png`,
  );
  expect(new Uint8Array(await file.arrayBuffer())).toEqual(bytes);

  await s3.remove(key);
  expect(await s3.stat(key)).toBeUndefined();
});

test("an empty file is a file", async () => {
  const { key, id, put, parts } = await open(0);
  expect((await put("")).status).toBe(200);
  const listed = (await parts()) ?? [];
  expect(listed).toMatchObject([{ part: 1, size: 0 }]);
  await s3.complete(key, id, listed);
  expect(await s3.stat(key)).toMatchObject({ size: 0 });
});

test("one byte more or fewer than reserved is refused, and nothing arrives", async () => {
  const { put, parts } = await open(5);
  expect([(await put("123456")).status, (await put("1234")).status]).toEqual([403, 403]);
  expect(await parts()).toEqual([]);
  expect((await put("12345")).status).toBe(200);
});

test("a body of unknown length is refused", async () => {
  const { put, parts } = await open(5);
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode("12345"));
      controller.close();
    },
  });
  expect([403, 411]).toContain((await put(stream)).status);
  expect(await parts()).toEqual([]);
});

test("a URL that was tampered with is refused", async () => {
  const { url, put, parts } = await open(5);
  const changed = [
    url.replace(/Signature=./, (text) => (text.endsWith("0") ? "Signature=1" : "Signature=0")),
    url.replace("partNumber=1", "partNumber=2"),
    url.replace("Expires=3600", "Expires=7200"),
    url.replace("content-length%3Bhost", "host"),
    url.replace("/test/", "/tost/"),
    `${url}&extra=1`,
  ];
  for (const bad of changed) {
    expect(bad).not.toBe(url);
    expect([bad, (await fetch(bad, { method: "PUT", body: "12345" })).status]).toEqual([bad, 403]);
  }
  expect((await fetch(url, { method: "POST", body: "12345" })).status).toBe(403);
  expect((await fetch(url.split("?")[0] ?? "", { method: "PUT", body: "12345" })).status).toBe(403);
  expect(await parts()).toEqual([]);
  expect((await put("12345")).status).toBe(200);
});

test("an expired URL is refused, and so is one signed by a stranger", async () => {
  const { key, id, parts } = await open(5);
  const request = {
    method: "PUT",
    origin: target.endpoint,
    path: `/${target.bucket}/${key}`,
    query: { partNumber: "1", uploadId: id },
    headers: { "content-length": "5" },
    expiresIn: 3_600,
  };
  const hourAgo = new Date(Date.now() - 3_601_000);
  const stranger = { ...target, secretKey: `${target.secretKey}x` };
  const nobody = { ...target, accessKey: "nobody" };
  for (const url of [
    presign(target, request, hourAgo),
    presign(stranger, request, new Date()),
    presign(nobody, request, new Date()),
  ])
    expect((await fetch(url, { method: "PUT", body: "12345" })).status).toBe(403);
  expect(await parts()).toEqual([]);
  expect((await fetch(presign(target, request, new Date()), { method: "PUT", body: "12345" })).status).toBe(200);
});

test("the last PUT counts while the upload is open; once it is completed, the URL is dead", async () => {
  const { key, id, put, parts } = await open(5);
  await put("first");
  await put("12345");
  await s3.complete(key, id, (await parts()) ?? []);
  expect(await (await fetch(await s3.downloadUrl(key, "a"))).text()).toBe("12345");
  expect((await put("other")).status).toBe(404);
  expect(await parts()).toBeUndefined();
  expect(await (await fetch(await s3.downloadUrl(key, "a"))).text()).toBe("12345");
});

test("an upload whose id is lost is found by its key; aborted, it is gone, and aborting again is no error", async () => {
  const { key, id, put, parts } = await open(5);
  expect(await s3.findUploadId(key)).toBe(id);
  await s3.abort(key, id);
  await s3.abort(key, id);
  expect(await s3.findUploadId(key)).toBeUndefined();
  expect(await parts()).toBeUndefined();
  expect((await put("12345")).status).toBe(404);
  expect(await s3.stat(key)).toBeUndefined();
});

test("completing an upload that is gone leaves no object", async () => {
  const { key, id, put, parts } = await open(5);
  await put("12345");
  const listed = (await parts()) ?? [];
  await s3.abort(key, id);
  await s3.complete(key, id, listed).catch(() => undefined); // some servers even say yes
  expect(await s3.stat(key)).toBeUndefined();
});

test("eight that complete at once make one object", async () => {
  const { key, id, put, parts } = await open(5);
  await put("12345");
  const listed = (await parts()) ?? [];
  await Promise.allSettled(Array.from({ length: 8 }, () => s3.complete(key, id, listed)));
  expect(await s3.stat(key)).toMatchObject({ size: 5 });
  expect(await parts()).toBeUndefined();
});

test("wrong keys and a closed port are a clear no", async () => {
  const attempts = [
    { ...target, secretKey: "wrong-secret" },
    { ...target, accessKey: "nobody" },
    { ...target, endpoint: "http://127.0.0.1:1" },
  ];
  for (const wrong of attempts) {
    const trouble = await openS3(wrong, 5_000)
      .initiate(newKey(), "text/plain", "r")
      .catch((error: unknown) => error);
    expect([trouble, isRefusal(trouble)]).toEqual([expect.any(Error), true]);
  }
});
