import { expect, spyOn, test } from "bun:test";
import { endpointsOf } from "../../test/support/probes/contract";
import { testService } from "../../test/support/service";
import type { OpenApi } from "./responses";

test("the page shows every endpoint of the document: method, path, status, curl", async () => {
  const { get } = await testService({ BASE_URL: "https://post.example" });
  const document = (await (await get("/openapi.json")).json()) as OpenApi;
  const answer = await get("/docs");
  const html = await answer.text();
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);

  const articles = html.split("<article ").slice(1);
  expect(articles).toHaveLength(endpointsOf(document).length);
  for (const { method, path, operation } of endpointsOf(document)) {
    const article = articles.find((text) => text.startsWith(`id="${operation.operationId}"`)) ?? "";
    for (const text of [operation.summary, method, path, `https://post.example${path}`])
      expect(article).toContain(text);
    for (const status of Object.keys(operation.responses)) expect(article).toContain(`>${status}</code>`);
    for (const { name } of operation.parameters) expect(article).toContain(`<code>${name}</code>`);
  }
});

test("names in texts are set as code, and a list says what it is of", async () => {
  const html = await (await (await testService()).get("/docs")).text();
  expect(html).not.toContain("`");
  expect(html).toContain("<code>uploadUrl</code>");
  expect(html).toContain("list of integer, 1 to 10000");
});

test("the page needs no script and nothing from anywhere else", async () => {
  const { get } = await testService();
  const html = await (await get("/docs")).text();
  expect(html).not.toMatch(/<script|<style|style=|onclick/);
  for (const [, url = ""] of html.matchAll(/(?:href|src)="([^"]*)"/g))
    expect(url).toMatch(/^(#|\/assets\/|\/openapi\.json$)/);
});

test("the examples work: subscribe accepts its own example", async () => {
  const { get, post } = await testService();
  const document = (await (await get("/openapi.json")).json()) as OpenApi;
  for (const path of ["/api/newsletter/subscribe", "/api/contact"]) {
    const example = document.paths[path]?.post?.requestBody?.content["application/json"]?.example;
    expect([path, (await post(path, example)).status]).toEqual([path, 201]);
  }
});

test.each(["/docs", "/openapi.json"])(
  "%s is built and compressed once, and has an ETag for each encoding",
  async (path) => {
    const { get, send } = await testService();
    const parse = spyOn(JSON, "stringify");
    const plain = await (await get(path)).text();
    const etags = new Set<string>();
    for (const [accepted, coding, decoded] of [
      ["identity", null, (bytes: Uint8Array<ArrayBuffer>) => bytes],
      ["gzip, deflate", "gzip", Bun.gunzipSync],
      ["gzip, deflate, br, zstd", "zstd", Bun.zstdDecompressSync],
      ["zstd;q=0, gzip;q=0", null, (bytes: Uint8Array<ArrayBuffer>) => bytes],
    ] as const) {
      const headers = { "accept-encoding": accepted };
      const response = await get(path, headers);
      const etag = response.headers.get("etag") ?? "";
      expect([response.headers.get("content-encoding"), response.headers.get("vary")]).toEqual([
        coding,
        "Accept-Encoding",
      ]);
      expect(Buffer.from(decoded(new Uint8Array(await response.arrayBuffer()))).toString()).toBe(plain);
      etags.add(etag);
      const known = await get(path, { ...headers, "if-none-match": etag });
      expect([
        known.status,
        known.headers.get("etag"),
        known.headers.get("content-encoding"),
        await known.text(),
      ]).toEqual([304, etag, null, ""]);
      const head = await send(path, { method: "HEAD", headers });
      expect([head.status, head.headers.get("etag"), await head.text()]).toEqual([200, etag, ""]);
    }
    expect(etags.size).toBe(3);
    const gunzipped = spyOn(Bun, "gzipSync");
    const compressed = spyOn(Bun, "zstdCompressSync");
    parse.mockClear();
    for (let i = 0; i < 20; i++) await (await get(path, { "accept-encoding": "gzip, zstd" })).bytes();
    const large = parse.mock.results.filter(({ value }) => typeof value === "string" && value.length > 10_000);
    expect([gunzipped.mock.calls.length, compressed.mock.calls.length, large.length]).toEqual([0, 0, 0]);
    for (const spy of [gunzipped, compressed, parse]) spy.mockRestore();
  },
);
