import { expect, test } from "bun:test";
import { endpointsOf } from "../../test/support/probes/contract";
import { testService } from "../../test/support/service";
import type { OpenApi } from "./types";

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
