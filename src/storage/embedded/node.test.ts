import { afterAll, expect, test } from "bun:test";
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createLog } from "../../platform/log";
import { presign } from "../s3/presign";
import { openS3 } from "../s3/s3";
import { temporaryFolder } from "../../../test/support/storage/storage";
import { within } from "../../../test/support/within";
import { startEmbeddedNode } from "./node";
import * as objects from "./objects";

const site = "https://site.example";
const closing: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(closing.map((close) => close())));

async function start(folder = temporaryFolder(), port = 0, idleSeconds?: number) {
  const options = { folder, port, origins: new Set([site]), log: createLog("silent") };
  const node = await startEmbeddedNode(idleSeconds === undefined ? options : { ...options, idleSeconds });
  closing.push(node.close);
  const s3 = openS3({ ...node, publicEndpoint: node.endpoint, bucket: "uploads" }, 60_000);
  await s3.ensureBucket();
  return { folder, node, s3, bucket: join(folder, "buckets", "uploads") };
}

async function upload({ s3 }: Pick<Awaited<ReturnType<typeof start>>, "s3">, text: string) {
  const key = `u/${crypto.randomUUID()}`;
  const id = await s3.initiate(key, "text/plain", "r");
  const answer = await fetch(s3.uploadUrl(key, id, text.length), { method: "PUT", body: text });
  return { key, id, status: answer.status, etag: answer.headers.get("etag") };
}

test("a second start has the same keys and the same files", async () => {
  const first = await start();
  const { key, id, etag } = await upload(first, "hello");
  expect(etag).toBe(`"${new Bun.CryptoHasher("md5").update("hello").digest("hex")}"`);
  await first.s3.complete(key, id, (await first.s3.listParts(key, id)) ?? []);
  await first.node.close();

  const second = await start(first.folder);
  expect([second.node.accessKey, second.node.secretKey]).toEqual([first.node.accessKey, first.node.secretKey]);
  expect(await (await fetch(await second.s3.downloadUrl(key, "a"))).text()).toBe("hello");
});

test("the keys are for this user alone", async () => {
  const { folder } = await start();
  expect(statSync(join(folder, "keys.json")).mode & 0o777).toBe(0o600);
});

test("a port that is in use is no obstacle", async () => {
  const first = await start();
  const second = await start(temporaryFolder(), Number(new URL(first.node.endpoint).port));
  expect(second.node.endpoint).not.toBe(first.node.endpoint);
});

test("killed between moving the bytes and writing their metadata, it completes on the second attempt", async () => {
  const here = await start();
  const { key, id } = await upload(here, "hello");
  const parts = (await here.s3.listParts(key, id)) ?? [];
  const etag = `${new Bun.CryptoHasher("md5").update(Buffer.from(parts[0]?.etag ?? "", "hex")).digest("hex")}-1`;
  const folder = join(here.bucket, "uploads", id);
  const bytes = readdirSync(folder).find((name) => name.endsWith(".bytes")) ?? "";
  await Bun.$`mv ${join(folder, bytes)} ${objects.bytesOf(here.bucket, { key, etag })}`.quiet();
  expect(await here.s3.stat(key)).toBeUndefined();

  await here.s3.complete(key, id, (await here.s3.listParts(key, id)) ?? []);
  expect(await (await fetch(await here.s3.downloadUrl(key, "a"))).text()).toBe("hello");
});

test("a file that is sent again as it is keeps its bytes; another one leaves no bytes of the first", async () => {
  const here = await start();
  const bytes = () => readdirSync(join(here.bucket, "objects")).filter((name) => !name.endsWith(".json")).length;
  const sent: string[] = [];
  for (const text of ["hello", "hello", "bye"]) {
    await here.s3.put("u/again", new TextEncoder().encode(text), "text/plain");
    sent.push(`${await (await fetch(await here.s3.downloadUrl("u/again", "a"))).text()} ${bytes()}`);
  }
  expect(sent).toEqual(["hello 1", "hello 1", "bye 1"]);
});

test("a client that hangs up leaves nothing behind", async () => {
  const { s3, node, bucket } = await start();
  const key = "u/cut";
  const id = await s3.initiate(key, "text/plain", "r");
  const { pathname, search, port } = new URL(s3.uploadUrl(key, id, 1_000_000));
  const socket = connect(Number(port), "127.0.0.1");
  socket.write(
    `PUT ${pathname}${search} HTTP/1.1\r\nHost: ${new URL(node.endpoint).host}\r\nContent-Length: 1000000\r\n\r\n`,
  );
  socket.write(Buffer.alloc(200_000));
  const bytes = () => readdirSync(join(bucket, "uploads", id)).filter((name) => name.endsWith(".bytes"));
  await until(() => bytes().length === 1);
  expect(await s3.listParts(key, id)).toEqual([]);
  socket.destroy();
  await until(() => bytes().length === 0);
  expect(await s3.listParts(key, id)).toEqual([]);
});

test("who sends a part and falls silent loses the connection, and nothing is left of it; who is only slow does not", async () => {
  const { s3, bucket } = await start(temporaryFolder(), 0, 5);
  const sender = async (key: string, bytes: string) => {
    const id = await s3.initiate(key, "text/plain", "r");
    const { pathname, search, host, port } = new URL(s3.uploadUrl(key, id, 1_000));
    const socket = connect(Number(port), "127.0.0.1");
    const [closed, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
    socket.on("error", () => undefined).on("close", () => closed.resolve());
    socket.on("data", (data) => answer.resolve(String(data)));
    socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1000\r\n\r\n${bytes}`);
    const files = () => readdirSync(join(bucket, "uploads", id)).filter((name) => name.endsWith(".bytes"));
    await until(() => files().length === 1);
    return { socket, closed: closed.promise, answer: answer.promise, files };
  };
  const slow = await sender("u/slow", "");
  const silent = await sender("u/silent", "half of it");
  const dripping = setInterval(() => slow.socket.write("a"), 100);
  const answered = silent.answer.then((answer) => Promise.reject(new Error(`It was answered: ${answer}`)));
  await within(Promise.race([silent.closed, answered]), "the end of the connection");
  clearInterval(dripping);
  await until(() => silent.files().length === 0);
  slow.socket.write("a".repeat(1_000)); // the rest, and more
  expect(await slow.answer).toStartWith("HTTP/1.1 200");
});

test("a part below 5 MiB that is not the last is refused, as by S3", async () => {
  const { s3, node } = await start();
  const id = await s3.initiate("u/small", "text/plain", "r");
  for (const number of ["1", "2"]) {
    const request = { method: "PUT", origin: node.endpoint, path: "/uploads/u/small", expiresIn: 60 };
    const url = presign(node, { ...request, query: { partNumber: number, uploadId: id } }, new Date());
    expect((await fetch(url, { method: "PUT", body: "abc" })).status).toBe(200);
  }
  const parts = (await s3.listParts("u/small", id)) ?? [];
  await expect(s3.complete("u/small", id, parts)).rejects.toMatchObject({ code: "EntityTooSmall" });
});

test("several parts become one file, in the order of their numbers", async () => {
  const { s3, node } = await start();
  const key = "u/parts";
  const id = await s3.initiate(key, "text/plain", "r");
  const part = Buffer.alloc(5 * 2 ** 20, "a");
  await fetch(s3.uploadUrl(key, id, 3).replace("partNumber=1", "partNumber=2"), { method: "PUT", body: "bcd" });
  expect(await s3.listParts(key, id)).toEqual([]); // that URL was for part 1
  for (const [number, body] of [
    ["2", Buffer.from("end")],
    ["1", part],
  ] as const) {
    const request = { method: "PUT", origin: node.endpoint, path: `/uploads/${key}`, expiresIn: 60 };
    const url = presign(node, { ...request, query: { partNumber: number, uploadId: id } }, new Date());
    expect((await fetch(url, { method: "PUT", body })).status).toBe(200);
  }
  const parts = (await s3.listParts(key, id)) ?? [];
  expect(parts.map(({ part, size }) => [part, size])).toEqual([
    [1, part.length],
    [2, 3],
  ]);
  await expect(s3.complete(key, id, [...parts].reverse())).rejects.toMatchObject({ code: "InvalidPartOrder" });
  await expect(s3.complete(key, id, [{ part: 1, size: 1, etag: "no" }])).rejects.toMatchObject({ code: "InvalidPart" });
  await s3.complete(key, id, parts);
  const file = await fetch(await s3.downloadUrl(key, "a"));
  expect(await file.text()).toBe(`${part}end`);
});

test("a client that does not know the region asks for it, and finds what a listing says", async () => {
  const { s3, node } = await start();
  const ask = async (query: Record<string, string>) => {
    const request = { method: "GET", origin: node.endpoint, path: "/uploads", expiresIn: 60 };
    const answer = await fetch(presign(node, { ...request, query }, new Date()));
    return [answer.status, await answer.text()] as const;
  };
  expect(await ask({ location: "" })).toEqual([200, expect.stringContaining(`>${node.region}</LocationConstraint>`)]);
  await s3.initiate("u/open", "text/plain", "r");
  const [, listing] = await ask({ uploads: "" });
  expect(listing).toContain("<Key>u/open</Key>");
  expect(listing).toContain("<IsTruncated>false</IsTruncated>"); // all of them are on the first page
});

test("a URL is refused once it has expired, and if it is signed by a clock more than 15 minutes ahead", async () => {
  const { node } = await start();
  const request = { method: "GET", origin: node.endpoint, path: "/uploads", query: { location: "" }, expiresIn: 60 };
  const answerAt = async (seconds: number) => {
    const answer = await fetch(presign(node, request, new Date(Date.now() + 1_000 * seconds)));
    return [answer.status, /<Code>(\w+)</.exec(await answer.text())?.[1]];
  };
  expect(await answerAt(14 * 60)).toEqual([200, undefined]);
  expect(await answerAt(16 * 60)).toEqual([403, "RequestTimeTooSkewed"]);
  expect(await answerAt(-10 * 60)).toEqual([403, "AccessDenied"]);
});

test("a request that is no part of what uploads need is not implemented", async () => {
  const { node } = await start();
  for (const [method, path, query] of [
    ["POST", "/uploads/u/x", {}],
    ["PUT", "/uploads/u/x", {}],
    ["GET", "/uploads", {}],
    ["POST", "/uploads", { location: "" }],
    ["DELETE", "/uploads", {}],
  ] as const) {
    const url = presign(node, { method, origin: node.endpoint, path, query, expiresIn: 60 }, new Date());
    expect([method, path, (await fetch(url, { method })).status]).toEqual([method, path, 501]);
  }
});

test("an upload's id never looks like a number, which clients would round", async () => {
  const { s3 } = await start();
  for (const key of ["u/1", "u/2", "u/3"]) expect(await s3.initiate(key, "text/plain", "r")).toMatch(/^u[0-9a-f]{32}$/);
});

test("no page runs here; a PDF is left to the browser's viewer, which a sandbox would keep out", async () => {
  const { s3 } = await start();
  for (const [key, type, policy] of [
    ["u/page", "text/html", "sandbox"],
    ["u/paper", "application/pdf", null],
    ["u/trick", "application/pdfx", "sandbox"],
  ] as const) {
    const id = await s3.initiate(key, type, "r");
    await fetch(s3.uploadUrl(key, id, 2), { method: "PUT", body: "hi" });
    await s3.complete(key, id, (await s3.listParts(key, id)) ?? []);
    const answer = await fetch(await s3.downloadUrl(key, "a"));
    expect([answer.headers.get("content-security-policy"), answer.headers.get("x-content-type-options")]).toEqual([
      policy,
      "nosniff",
    ]);
  }
});

test("pages of the site may upload and read the ETag; others may not", async () => {
  const { s3 } = await start();
  const url = s3.uploadUrl("u/cors", await s3.initiate("u/cors", "text/plain", "r"), 1);
  const preflight = (origin: string) =>
    fetch(url, { method: "OPTIONS", headers: { origin, "access-control-request-method": "PUT" } });
  const welcome = await preflight(site);
  expect([welcome.status, welcome.headers.get("access-control-allow-origin")]).toEqual([200, site]);
  expect(welcome.headers.get("access-control-allow-methods")).toContain("PUT");
  const put = await fetch(url, { method: "PUT", body: "x", headers: { origin: site } });
  expect([put.status, put.headers.get("access-control-expose-headers")]).toEqual([200, "ETag"]);
  const stranger = await preflight("https://evil.example");
  expect([stranger.status, stranger.headers.get("access-control-allow-origin")]).toEqual([403, null]);
});

test("a body of another length is refused with the header that was signed", async () => {
  const { s3 } = await start();
  const url = s3.uploadUrl("u/other", await s3.initiate("u/other", "text/plain", "r"), 5);
  const refused = await fetch(url, { method: "PUT", body: "1234" });
  expect([refused.status, await refused.text()]).toEqual([
    403,
    expect.stringContaining("content-length is not what was signed."),
  ]);
});

test("a file larger than the disk is refused before its bytes are read", async () => {
  const { s3, node } = await start();
  const id = await s3.initiate("u/big", "text/plain", "r");
  const announce = async (size: number) => {
    const { pathname, search, port, host } = new URL(s3.uploadUrl("u/big", id, size));
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${size}\r\n\r\n`);
    const head = await new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data))));
    socket.destroy();
    return head.split(" ")[1];
  };
  expect(new URL(node.endpoint).hostname).toBe("127.0.0.1");
  expect(await announce(5 * 2 ** 40)).toBe("507");
});

test("leftovers of an interrupted delete are removed at the next start", async () => {
  const first = await start();
  const { id } = await upload(first, "hello");
  const left = join(first.bucket, "trash", id);
  await Bun.$`mv ${join(first.bucket, "uploads", id)} ${left}`.quiet();
  await first.node.close();
  await start(first.folder);
  expect(existsSync(left)).toBe(false);
});

/** Waits for something that the kernel does on another thread. */
async function until(isSo: () => boolean) {
  while (!isSo()) await Bun.sleep(10);
}

test("a listing continues past its first page", async () => {
  const { bucket, s3 } = await start();
  const keys = Array.from({ length: 2_300 }, (_, i) => `u/${i}`).sort();
  for (const key of keys) {
    const object = { key, type: "text/plain", size: 1, etag: "e", at: new Date().toISOString() };
    writeFileSync(join(bucket, "objects", `${key.slice(2)}.json`), JSON.stringify(object));
    writeFileSync(objects.bytesOf(bucket, object), "1");
  }
  expect((await Array.fromAsync(s3.objects("u/"))).map(({ key }) => key)).toEqual(keys);
});
