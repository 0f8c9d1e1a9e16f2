import { expect, test } from "bun:test";
import { testService } from "../support/service";

async function reserved(size = 5) {
  const { key, post } = await testService();
  const file = { filename: "a.txt", mimeType: "text/plain", size };
  const answer = await post("/api/v1/storage/upload", file, await key());
  const { data } = (await answer.json()) as { data: { uploadUrl: string } };
  return new URL(data.uploadUrl);
}

const send = async (url: URL | string, init: RequestInit = {}) =>
  (await fetch(url, { method: "PUT", body: "hello", ...init })).status;

test("an upload URL permits one thing: whatever is changed about it, the storage refuses", async () => {
  const url = await reserved();
  const other = await reserved();
  const changed = (name: string, value: string) => {
    const copy = new URL(url);
    copy.searchParams.set(name, value);
    return copy;
  };
  const at = (pathname: string) => Object.assign(new URL(url), { pathname });
  const forged: [what: string, url: URL, init?: RequestInit][] = [
    ["another file", at(other.pathname)],
    ["the bucket", at("/uploads")],
    ["another bucket", at(url.pathname.replace("/uploads/", "/secrets/"))],
    ["a folder above", at("/uploads/..%2f..%2fkeys.json")],
    ["more time", changed("X-Amz-Expires", "604800")],
    ["for ever", changed("X-Amz-Expires", "1e99")],
    ["a later date", changed("X-Amz-Date", "20991231T000000Z")],
    ["another part", changed("partNumber", "2")],
    ["another upload", changed("uploadId", other.searchParams.get("uploadId") ?? "")],
    ["any length", changed("X-Amz-SignedHeaders", "host")],
    ["no signature", changed("X-Amz-Signature", "")],
    ["a signature of other letters", changed("X-Amz-Signature", "é".repeat(64))],
    [
      "a signature in capitals",
      changed("X-Amz-Signature", (url.searchParams.get("X-Amz-Signature") ?? "").toUpperCase()),
    ],
    ["one more parameter", changed("acl", "")],
    ["a parameter twice", new URL(`${url}&partNumber=1`)],
    ["longer", url, { body: "hello!" }],
    ["shorter", url, { body: "hell" }],
    ["to be read", url, { method: "GET", body: null }],
    ["to be deleted", url, { method: "DELETE", body: null }],
    ["to be completed", url, { method: "POST" }],
  ];
  for (const [what, forgedUrl, init] of forged) {
    const status = await send(forgedUrl, init);
    expect([what, [400, 403].includes(status) || status]).toEqual([what, true]);
  }
  expect(await send(url)).toBe(200);
});
