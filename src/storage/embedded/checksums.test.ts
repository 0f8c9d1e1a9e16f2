import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { temporaryFolder } from "../../../test/support/storage/storage";
import { createLog } from "../../platform/log";
import { openS3, type S3 } from "../s3/s3";
import { type EmbeddedNode, startEmbeddedNode } from "./node";

// As on S3: https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity-upload.html

let node: EmbeddedNode;
let s3: S3;
beforeAll(async () => {
  node = await startEmbeddedNode({
    ...{ folder: temporaryFolder(), port: 0 },
    ...{ origins: new Set(), log: createLog("silent") },
  });
  s3 = openS3({ ...node, publicEndpoint: node.endpoint }, 60_000);
});
afterAll(() => node.close());

const text = "123456789"; // the check values of all CRCs are published for it
const sum = (algorithm: string, of = text) => createHash(algorithm).update(of).digest("base64");
const hex = (value: string) => Buffer.from(value, "hex").toString("base64");
const right: Record<string, string> = {
  "x-amz-checksum-crc32": hex("cbf43926"),
  "x-amz-checksum-crc32c": hex("e3069283"),
  "x-amz-checksum-crc64nvme": hex("ae8b14860a799888"),
  "x-amz-checksum-sha1": sum("sha1"),
  "x-amz-checksum-sha256": sum("sha256"),
  "content-md5": sum("md5"),
};
const all = Object.entries(right);

async function put(headers: Record<string, string>, body: NonNullable<RequestInit["body"]> = text, size = text.length) {
  const key = `u/${crypto.randomUUID()}`;
  const id = await s3.initiate(key, "text/plain", "r");
  const answer = await fetch(s3.uploadUrl(key, id, size), { method: "PUT", headers, body });
  const code = /<Code>(\w+)</.exec(await answer.text())?.[1];
  return { answer, said: [answer.status, code], parts: (await s3.listParts(key, id)) ?? [] };
}

test.each(all)("a valid %s is accepted, returned and listed", async (header, value) => {
  const { answer, parts } = await put({ [header]: value });
  expect(answer.status).toBe(200);
  if (header === "content-md5")
    expect(parts).toMatchObject([{ size: 9, etag: createHash("md5").update(text).digest("hex") }]);
  else {
    expect(answer.headers.get(header)).toBe(value);
    expect(parts).toMatchObject([{ part: 1, size: 9, checksums: { [header.replace("x-amz-checksum-", "")]: value } }]);
  }
});

test.each(all)("a wrong %s is refused, and nothing arrives", async (header, value) => {
  const { said, parts } = await put({ [header]: value }, "123456780");
  expect([said, parts]).toEqual([[400, "BadDigest"], []]);
});

test.each(all)("a malformed %s is refused", async (header, value) => {
  for (const bad of [
    "x",
    "!",
    value.slice(0, -2),
    `${value.slice(0, -1)}AAAA=`,
    Buffer.from(value, "base64").toString("hex"),
  ]) {
    const { said, parts } = await put({ [header]: bad });
    expect([said, parts]).toEqual([[400, header === "content-md5" ? "InvalidDigest" : "InvalidRequest"], []]);
  }
});

test("two checksums are one too many; with the MD5 one may come", async () => {
  const { "x-amz-checksum-sha256": sha256 = "", "x-amz-checksum-crc32": crc32 = "", "content-md5": md5 = "" } = right;
  const both = { "x-amz-checksum-sha256": sha256, "x-amz-checksum-crc32": crc32 };
  expect((await put(both)).said).toEqual([400, "InvalidRequest"]);
  expect((await put({ "x-amz-checksum-sha256": sha256, "content-md5": md5 })).answer.status).toBe(200);
  expect((await put({ "x-amz-checksum-sha256": sha256, "content-md5": sum("md5", "other") })).said).toEqual([
    400,
    "BadDigest",
  ]);
});

test("a PUT that is refused leaves the part that was there", async () => {
  const key = `u/${crypto.randomUUID()}`;
  const id = await s3.initiate(key, "text/plain", "r");
  const send = (body: string) => {
    const headers = { "x-amz-checksum-sha256": sum("sha256") };
    return fetch(s3.uploadUrl(key, id, text.length), { method: "PUT", headers, body });
  };
  expect((await send(text)).status).toBe(200);
  const before = await s3.listParts(key, id);
  expect((await send("123456780")).status).toBe(400);
  expect(await s3.listParts(key, id)).toEqual(before);
});

test("of many pieces as of one", async () => {
  const bytes = new Uint8Array(3_000_001).map((_, at) => at * 31);
  const sha256 = createHash("sha256").update(bytes).digest("base64");
  const { parts } = await put({ "x-amz-checksum-sha256": sha256 }, bytes, bytes.length);
  expect(parts).toMatchObject([{ checksums: { sha256 } }]);
});
