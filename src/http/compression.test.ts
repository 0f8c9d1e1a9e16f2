import { expect, test } from "bun:test";
import { compressed } from "./compression";

const page = "<p>A line of a page.</p>".repeat(200);
const sent = (accepted: string, body = page, type = "text/html; charset=utf-8") =>
  compressed(
    new Request("http://localhost/", { headers: { "accept-encoding": accepted } }),
    new Response(body, { headers: { "content-type": type } }),
  );
const coding = async (...of: Parameters<typeof sent>) => (await sent(...of)).headers.get("content-encoding");

test("a page is sent in the best encoding that the browser accepts, and is decoded completely", async () => {
  const [zstd, gzip] = [await sent("gzip, deflate, br, zstd"), await sent("gzip, deflate")];
  expect([zstd, gzip].map(({ headers }) => [headers.get("content-encoding"), headers.get("vary")])).toEqual([
    ["zstd", "Accept-Encoding"],
    ["gzip", "Accept-Encoding"],
  ]);
  expect(Bun.zstdDecompressSync(await zstd.bytes()).toString()).toBe(page);
  expect(Buffer.from(Bun.gunzipSync(new Uint8Array(await gzip.arrayBuffer()))).toString()).toBe(page);
});

test("short responses, other types, and those for browsers that accept no encoding are not compressed", async () => {
  expect(await coding("zstd", "<p>Short</p>")).toBeNull();
  expect(await coding("zstd", page, "application/json")).toBeNull();
  expect(await coding("br")).toBeNull();
  expect(await (await sent("br")).text()).toBe(page);
});

test("a coding that the browser refuses with q=0 is not sent", async () => {
  expect(await coding("gzip;q=0")).toBeNull();
  expect(await coding("zstd; q=0.000, gzip;q=0.5")).toBe("gzip");
  expect(await coding("ZSTD;q=0.1")).toBe("zstd");
});
