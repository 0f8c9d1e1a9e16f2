import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { presign } from "../../../src/storage/s3/presign";
import { probe } from "../../../src/storage/nodes/probe";
import { cutOff } from "../../../src/storage/s3/raw-put";
import { openS3, type S3 } from "../../../src/storage/s3/s3";
import type { Target } from "../../../src/storage/s3/client";
import { codeOf, isRefusal } from "../../../src/storage/s3/errors";
import { openServer, type Server, site } from "./server";
import { testTimeoutMs } from "../../support/within";

// What uploads rely on, true of every S3 server. By default of the embedded node; `npm run test:storage` tests another.

setDefaultTimeout(testTimeoutMs); // a new cluster creates its pools first

let server: Server;
let target: Target;
let s3: S3;
const newKey = () => `test/${crypto.randomUUID()}`;

beforeAll(async () => {
  server = await openServer();
  target = { ...server, publicEndpoint: server.endpoint };
  s3 = openS3(target, 60_000); // timeouts are not tested here
  await s3.ensureBucket();
});
afterAll(() => server.close());

/** An open upload, and how to send to it. */
async function open(size: number, type = "text/plain") {
  const key = newKey();
  const id = await s3.initiate(key, type, "reservation");
  const url = s3.uploadUrl(key, id, size);
  const put = (body: NonNullable<RequestInit["body"]>, init: RequestInit = {}) =>
    fetch(url, { ...init, method: "PUT", body });
  const putPart = (part: number, body: string | Uint8Array<ArrayBuffer>) =>
    fetch(s3.partUrl(key, id, { part, size: body.length }), { method: "PUT", body });
  return { key, id, url, put, putPart, parts: () => s3.listParts(key, id) };
}

const code = (work: Promise<unknown>) => work.then(() => "none", codeOf);

test("a file is downloaded byte for byte, with the type of the reservation and the name of the file", async () => {
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
    `attachment; filename="Uni _quoted_.png"; filename*=UTF-8''%C3%9Cn%C3%AF%20%22quoted%22.png`,
  );
  expect(new Uint8Array(await file.arrayBuffer())).toEqual(bytes);

  await s3.remove(key);
  expect(await s3.stat(key)).toBeUndefined();
});

test("a download goes on where it was interrupted, and sends nothing that is there already, or another file", async () => {
  const { key, id, put, parts } = await open(10);
  await put("0123456789");
  await s3.complete(key, id, (await parts()) ?? []);
  const url = await s3.downloadUrl(key, "a");
  const get = async (headers: Record<string, string> = {}) => {
    const answer = await fetch(url, { headers });
    return { status: answer.status, text: answer.ok ? await answer.text() : "", headers: answer.headers };
  };
  const whole = await get();
  const etag = whole.headers.get("etag") ?? "";
  expect([whole.text, whole.headers.get("accept-ranges")]).toEqual(["0123456789", "bytes"]); // Firefox resumes no other
  const rest = await get({ range: "bytes=7-", "if-range": etag });
  expect([rest.status, rest.text, rest.headers.get("content-range")]).toEqual([206, "789", "bytes 7-9/10"]);
  expect(await get({ range: "bytes=-2" })).toMatchObject({ status: 206, text: "89" });
  expect((await get({ range: "bytes=10-" })).status).toBe(416);
  expect((await get({ "if-none-match": etag })).status).toBe(304);
  expect((await get({ "if-none-match": '"other"' })).text).toBe("0123456789");
  expect((await get({ "if-match": etag })).text).toBe("0123456789");
  expect((await get({ "if-match": '"other"', range: "bytes=7-" })).status).toBe(412);
});

test("a wrong Content-MD5 is rejected, and nothing arrives; a right one is accepted", async () => {
  const { put, parts } = await open(5);
  const md5 = (text: string) => ({ "content-md5": new Bun.CryptoHasher("md5").update(text).digest("base64") });
  const refused = await put("12345", { headers: md5("54321") });
  expect([refused.status, /<Code>(\w+)</.exec(await refused.text())?.[1]]).toEqual([400, "BadDigest"]);
  expect(await parts()).toEqual([]);
  expect((await put("12345", { headers: md5("12345") })).status).toBe(200);
});

test("a server that supports the checksums of S3 rejects a wrong one and lists a right one; others ignore both, or reject headers that were not signed", async () => {
  const { put, parts } = await open(5);
  const sha256 = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("base64");
  const refused = await put("12345", { headers: { "x-amz-checksum-sha256": sha256("54321") } });
  const isKnown = refused.status === 400;
  const isUnsigned = refused.status === 403; // AWS and versitygw
  expect(await parts()).toHaveLength(isKnown || isUnsigned ? 0 : 1);
  if (isUnsigned) return expect(/<Code>(\w+)</.exec(await refused.text())?.[1]).toBe("AccessDenied");
  expect((await put("12345", { headers: { "x-amz-checksum-sha256": sha256("12345") } })).status).toBe(200);
  const [part] = (await parts()) ?? [];
  expect(part?.checksums).toEqual(isKnown ? { sha256: sha256("12345") } : undefined);
  if (!process.env.STORAGE_TEST_ENDPOINT) expect(isKnown).toBe(true);
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

test("an interrupted PUT is not listed as complete, unless a probe says so; with Content-MD5 it never is", async () => {
  const { findings } = await probe(server.endpoint, s3, { origins: [], deadline: 60_000 });
  const size = 4 * 2 ** 20;
  const cut = { size, sent: size / 2, deadline: 60_000 };
  const isListed = async (key: string, id: string) =>
    ((await s3.listParts(key, id)) ?? []).some((part) => part.size === size);

  const plain = await open(size);
  await cutOff(plain.url, cut);
  expect(await isListed(plain.key, plain.id)).toBe(findings.cut === "listed");

  const { key, id } = await open(size);
  const md5 = new Bun.CryptoHasher("md5").update(Buffer.alloc(size, "a")).digest("base64");
  await cutOff(s3.uploadUrl(key, id, size, md5), { ...cut, headers: `Content-MD5: ${md5}\r\n` });
  expect(await isListed(key, id)).toBe(false);
  const put = (body: Buffer<ArrayBuffer>) =>
    fetch(s3.uploadUrl(key, id, size, md5), { method: "PUT", body, headers: { "content-md5": md5 } });
  expect([(await put(Buffer.alloc(size, "b"))).status, (await put(Buffer.alloc(size, "a"))).status]).toEqual([
    400, 200,
  ]);
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

test("an expired URL is rejected, and so is one signed with another key", async () => {
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
  const status = async (url: string) => (await fetch(url, { method: "PUT", body: "12345" })).status;
  expect(await status(presign(target, request, hourAgo))).toBe(403);
  expect(await status(presign(stranger, request, new Date()))).toBe(403);
  expect([403, 404]).toContain(await status(presign(nobody, request, new Date()))); // 404: versitygw does not know them
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

test("an upload whose ID is lost is found by its key; once aborted it is gone, and aborting again is no error", async () => {
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
  await s3.complete(key, id, listed).catch(() => undefined); // some servers even accept it
  expect(await s3.stat(key)).toBeUndefined();
});

test("eight simultaneous completions make one object", async () => {
  const { key, id, put, parts } = await open(5);
  await put("12345");
  const listed = (await parts()) ?? [];
  await Promise.allSettled(Array.from({ length: 8 }, () => s3.complete(key, id, listed)));
  expect(await s3.stat(key)).toMatchObject({ size: 5 });
  expect(await parts()).toBeUndefined();
});

test("parts come together in the order of their numbers, a small one only at the end", async () => {
  const { key, id, putPart, parts } = await open(0);
  const large = new Uint8Array(5 * 2 ** 20).fill(97);
  await putPart(2, "end");
  await putPart(1, large);
  await s3.complete(key, id, (await parts()) ?? []);
  expect(await (await fetch(await s3.downloadUrl(key, "a"))).text()).toBe(`${"a".repeat(large.length)}end`);

  const small = await open(0);
  await small.putPart(1, "tiny");
  await small.putPart(2, "end");
  expect(await code(s3.complete(small.key, small.id, (await small.parts()) ?? []))).toBe("EntityTooSmall");
  expect(await s3.stat(small.key)).toBeUndefined();
});

test("a part that did not come, or has another ETag, completes nothing", async () => {
  const { key, id, put, parts } = await open(5);
  await put("12345");
  const [part] = (await parts()) ?? [];
  if (!part) throw new Error("The part did not arrive");
  expect(["InvalidPart", "EntityTooSmall"]).toContain(await code(s3.complete(key, id, [part, { ...part, part: 2 }])));
  expect(await code(s3.complete(key, id, [{ ...part, etag: "0".repeat(32) }]))).toBe("InvalidPart");
  expect(await s3.stat(key)).toBeUndefined();
  await s3.complete(key, id, [part]);
  expect(await s3.stat(key)).toMatchObject({ size: 5 });
});

test("more parts than fit on one page are all listed, in order", async () => {
  const { key, id, putPart, parts } = await open(0);
  const numbers = Array.from({ length: 1_005 }, (_, i) => i + 1);
  const waiting = [...numbers];
  const lane = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) expect((await putPart(next, "x")).status).toBe(200);
  };
  await Promise.all(Array.from({ length: 16 }, lane));
  expect(((await parts()) ?? []).map(({ part }) => part)).toEqual(numbers);
  await s3.abort(key, id);
});

test("objects of a bucket are listed by prefix, in the order of their keys, and so are open uploads", async () => {
  const prefix = newKey();
  for (const name of ["b", "a/2", "a1", "a/1"]) {
    const id = await s3.initiate(`${prefix}/${name}`, "text/plain", "r");
    await fetch(s3.uploadUrl(`${prefix}/${name}`, id, 3), { method: "PUT", body: "abc" });
    await s3.complete(`${prefix}/${name}`, id, (await s3.listParts(`${prefix}/${name}`, id)) ?? []);
  }
  const objects = await Array.fromAsync(s3.objects(`${prefix}/`));
  expect(objects.map(({ key, size }) => [key.slice(prefix.length), size])).toEqual([
    ["/a/1", 3],
    ["/a/2", 3],
    ["/a1", 3],
    ["/b", 3],
  ]);
  expect(Math.abs(Date.now() - (objects[0]?.at.getTime() ?? 0))).toBeLessThan(120_000);

  const key = `${prefix}/open`;
  const id = await s3.initiate(key, "text/plain", "r");
  // By the exact key, as MinIO requires; some servers list every upload below a prefix, too
  expect(await Array.fromAsync(s3.openUploads(key))).toMatchObject([{ key, uploadId: id, at: expect.any(Date) }]);
  await s3.abort(key, id);
  expect(await Array.fromAsync(s3.openUploads(key))).toEqual([]);
});

test("pages of the site may PUT and read the ETag, once CORS is configured", async () => {
  const told = [await code(s3.allowOrigins(["https://other.example"])), await code(s3.allowOrigins([site]))];
  expect(["none none", "NotImplemented NotImplemented"]).toContain(told.join(" ")); // MinIO allows every origin
  const { url, put } = await open(5);
  const headers = { origin: site, "access-control-request-method": "PUT" };
  const preflight = await fetch(url, { method: "OPTIONS", headers });
  expect([preflight.ok, [site, "*"].includes(preflight.headers.get("access-control-allow-origin") ?? "")]).toEqual([
    true,
    true,
  ]);
  const answer = await put("12345", { headers: { origin: site } });
  expect([answer.status, answer.headers.get("access-control-expose-headers")]).toEqual([
    200,
    expect.stringMatching(/\*|etag/i),
  ]);
});

test("a probe finds nothing wrong, and leaves nothing behind", async () => {
  const { findings, error } = await probe(server.endpoint, s3, { origins: [site], deadline: 60_000 });
  expect([error, findings]).toEqual([
    undefined,
    {
      ...Object.fromEntries(
        ["bucket", "initiate", "put", "length", `cors ${site}`, "list", "complete", "stat", "delete"].map((check) => [
          check,
          "ok",
        ]),
      ),
      cut: expect.stringMatching(process.env.STORAGE_TEST_ENDPOINT ? /^(ok|listed)$/ : /^ok$/), // versitygw keeps it
      etag: "ok",
      clock: expect.stringMatching(/^-?\d$/),
      milliseconds: expect.stringMatching(/^\d+$/),
    },
  ]);
  expect(await Array.fromAsync(s3.objects("probe/"))).toEqual([]);
});

test("what went wrong keeps its name, and is a clear no", async () => {
  const attempts = [
    [{ secretKey: "wrong-secret" }, /^SignatureDoesNotMatch$/],
    [{ accessKey: "nobody" }, /^(InvalidAccessKeyId|XAdminUserNotFound)$/], // the latter is versitygw's
    [{ endpoint: "http://127.0.0.1:1" }, /^ECONNREFUSED$/],
  ] as const;
  for (const [wrong, name] of attempts) {
    const other = openS3({ ...target, ...wrong }, 60_000);
    const trouble = await other.initiate(newKey(), "text/plain", "r").catch((error: unknown) => error);
    expect([codeOf(trouble), isRefusal(trouble)]).toEqual([expect.stringMatching(name), true]);
  }
  const elsewhere = openS3({ ...target, bucket: `not-there-${crypto.randomUUID()}` }, 60_000);
  expect(await code(Array.fromAsync(elsewhere.objects("u/")))).toBe("NoSuchBucket");
});
