import { expect, spyOn, test } from "bun:test";
import { endpointsOf } from "../../test/support/probes/contract";
import { testService } from "../../test/support/service";
import { Docs } from "./docs-pages";
import type { OpenApi } from "./responses";

const maxBytes = 60 * 1024;
const maxIndexBytes = 30 * 1024; // compressed, loaded when someone begins to search

/** The service with its document and every page of the documentation, by its path: those that the start page lists. */
async function documented() {
  const service = await testService({ BASE_URL: "https://post.example" });
  const document = (await (await service.get("/openapi.json")).json()) as OpenApi;
  const start = await (await service.get("/docs")).text();
  const pages = new Map<string, string>();
  for (const [, path = ""] of start.matchAll(/href="(\/docs[^"#.]*)"/g))
    if (!pages.has(path)) pages.set(path, await (await service.get(path)).text());
  return { ...service, document, pages };
}

const idsOf = (html: string) => [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id ?? "");

test("the page shows every endpoint of the document: method, path, status, curl", async () => {
  const { document, get, pages } = await documented();
  const answer = await get("/docs");
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);

  const articles = [...pages.values()].flatMap((html) => html.split("<article ").slice(1));
  const endpoints = articles.filter((text) => text.includes('<p class="route"><span class="method'));
  expect(endpoints).toHaveLength(endpointsOf(document).length);
  for (const { method, path, operation } of endpointsOf(document)) {
    const article = articles.find((text) => text.startsWith(`id="${operation.operationId}"`)) ?? "";
    for (const text of [operation.summary, method, path]) expect(article).toContain(text);
    const curl = new RegExp(`https://post\\.example${path.replace(/\{\w+\}/g, "[\\w.-]+").replace(/\./g, "\\.")}`);
    expect(article).toMatch(curl);
    for (const status of Object.keys(operation.responses)) expect(article).toContain(`>${status}</code>`);
    if (operation.responses["201"]) expect(article).toMatch(/<p class="caption"><code[^>]*>201<\/code>/);
    for (const { name } of operation.parameters) expect(article).toContain(`<code>${name}</code>`);
  }
});

test("there is a page for each subject, and each is small", async () => {
  const { document, pages } = await documented();
  const subjects = ["newsletter", "contact", "content", "uploads", "files", "operations", "webhooks"];
  const frameworks = ["html", "astro", "next", "hono", "sveltekit"];
  const guides = [
    "forms",
    "blog",
    "subscribers-by-key",
    "paging",
    "previews",
    "caching",
    "visitors",
    "keys",
    "client",
    "uploading",
    "page-uploads",
    "uppy",
  ];
  const running = ["deploying", "configuration", "proxies", "operating", "scaling", "personal-data", "changelog"];
  const paths = [...subjects, "provider-webhooks", "errors", "limits", ...guides, ...running, ...frameworks].map(
    (subject) => `/docs/${subject}`,
  );
  expect([...pages.keys()]).toEqual(expect.arrayContaining(["/docs", ...paths]));
  for (const [path, html] of pages) {
    expect([path, html.startsWith("<!doctype html>")]).toEqual([path, true]);
    expect([path, Math.max(Buffer.byteLength(html), maxBytes)]).toEqual([path, maxBytes]);
  }
  for (const { post: operation } of Object.values(document.webhooks))
    expect(pages.get("/docs/webhooks")).toContain(`<article id="${operation.operationId}">`);
});

test("what was linked on the single page is on the start page, and leads to where it is now", async () => {
  const { document, pages } = await documented();
  const ids = idsOf(pages.get("/docs") ?? "");
  expect(ids).toEqual(expect.arrayContaining(["content", "Newsletter", "Provider webhooks", "postApiV1StorageUpload"]));
  for (const { operation } of endpointsOf(document)) {
    const [, path = ""] = new RegExp(`href="([^"]*)#${operation.operationId}"`).exec(pages.get("/docs") ?? "") ?? [];
    expect(idsOf(pages.get(path) ?? "")).toContain(operation.operationId);
    expect(ids).toContain(operation.operationId);
  }
});

test("no link of a page leads nowhere, and no ID is there twice", async () => {
  const { get, pages } = await documented();
  for (const [path, html] of pages) {
    const ids = idsOf(html);
    expect([path, ids]).toEqual([path, [...new Set(ids)]]);
    for (const [, url = ""] of html.matchAll(/href="([^"]*)"/g)) {
      if (/^(https:\/\/|\/assets\/|\/openapi\.json$|\/llms\.txt$)|\.(md|tgz)$/.test(url)) continue;
      const [page, id] = url.split("#");
      const target = pages.get(page || path) ?? "";
      expect([path, url, target !== ""]).toEqual([path, url, true]);
      if (id !== undefined) expect([path, url, idsOf(target).includes(id)]).toEqual([path, url, true]);
    }
  }
  expect((await get("/docs/no-such-page")).status).toBe(404);
});

test("every error code is explained, with its statuses", async () => {
  const { document, pages } = await documented();
  const { enum: all } = document.components.schemas.Error?.properties?.code as { enum: string[] };
  const codes = [...(pages.get("/docs/errors") ?? "").matchAll(/<article id="([A-Z_]+)">/g)].map(([, code]) => code);
  expect(codes.sort()).toEqual(all.sort());
});

test("every field and parameter says what it may be", async () => {
  const { pages } = await documented();
  for (const [path, html] of pages)
    expect([path, html.match(/<dt>[^]{0,200}?<dd><\/dd>/)?.[0]]).toEqual([path, undefined]);
});

test("a search finds every endpoint, event and error code by its words, without a script", async () => {
  const { document, get } = await documented();
  const search = async (query: string) => (await get(`/docs/search?${new URLSearchParams({ q: query })}`)).text();
  const targets = async (query: string) =>
    [...(await search(query)).matchAll(/<li data-words="[^"]*"><a href="([^"]*)"/g)].map(([, url]) => url);
  for (const { path, operation } of endpointsOf(document))
    expect([path, await targets(`${path} ${operation.summary}`)]).toEqual([
      path,
      expect.arrayContaining([expect.stringMatching(new RegExp(`#${operation.operationId}$`))]),
    ]);
  expect((await targets("RATE_LIMITED"))[0]).toBe("/docs/errors#RATE_LIMITED");
  expect((await targets("post.published"))[0]).toBe("/docs/webhooks#onPostPublished");
  expect(await targets("MIMETYPE upload")).toContain("/docs/uploads#createUpload");
  expect(await targets("webhook localhost")).toContain("/docs/endpoints#a-receiver-in-20-lines");
  expect(await targets("tunnel")).toContain("/docs/endpoints#a-receiver-in-20-lines");
  expect(await targets("WEBHOOK_PRIVATE_HOSTS")).toContain("/docs/endpoints#where-calls-may-go");
  expect(await targets("install client")).toContain("/docs/client#install");
  expect(await targets("upload progress")).toContain("/docs/page-uploads#in-the-page-with-its-progress");
  expect(await targets("verify signature somehow")).toContain("/docs/webhooks#verify"); // most of the words
  expect(await targets("no-such-word")).toEqual([]);
  expect(await search("<b>")).not.toContain("<b>");
  expect((await targets("")).length).toBeGreaterThan(70);
});

test("a guide begins with its introduction, and has its examples and its words", async () => {
  const { pages } = await documented();
  const paging = pages.get("/docs/paging") ?? "";
  for (const words of ["Every list has the same parameters and headers", "postroom.posts.list"])
    expect(paging.replace(/<[^>]+>/g, "").replace(/\s+/g, " ")).toContain(words);
});

test("a page that is not there answers 404, and finds what its name means, or else lists the pages", async () => {
  const { get } = await documented();
  const missing = async (path: string) => {
    const answer = await get(path);
    const html = await answer.text();
    const links = [...html.matchAll(/<li data-words="[^"]*"><a href="([^"]*)"/g)].map(([, url]) => url);
    return { status: answer.status, robots: answer.headers.get("x-robots-tag"), html, links };
  };
  const { status, robots, links } = await missing("/docs/api-keys");
  expect([status, robots]).toEqual([404, "noindex"]);
  expect(links[0]).toBe("/docs/keys");
  const other = await missing("/docs/zzz");
  expect(other.status).toBe(404);
  expect(other.links).toContain("/docs/newsletter");
  expect(other.links.filter((url) => url?.includes("#"))).toEqual([]);
  for (const path of ["/docs/%3Cb%3Ex", `/docs/${"x".repeat(5_000)}`]) {
    const odd = await missing(path);
    expect([odd.status, odd.html.includes("<b>"), odd.html.length < 40_000]).toEqual([404, false, true]);
  }
});

test("the list of everything is small, and a long search is cut", async () => {
  const { get } = await documented();
  const index = await get("/docs/search", { "accept-encoding": "gzip" });
  expect(Math.max((await index.bytes()).length, maxIndexBytes)).toBe(maxIndexBytes);
  const answer = await get(`/docs/search?q=${"x".repeat(5_000)}`);
  expect([answer.status, answer.headers.get("x-robots-tag")]).toEqual([200, "noindex"]);
  expect((await answer.text()).split("x".repeat(101))).toHaveLength(1);
});

test("names in texts are set as code, and a list says what it is of", async () => {
  const { pages } = await documented();
  for (const html of pages.values()) expect(html.replace(/<pre[^]*?<\/pre>/g, "")).not.toContain("`");
  expect(pages.get("/docs/uploads")).toContain("<code>uploadUrl</code>");
  expect(pages.get("/docs/uploads")).toContain("list of integer, 1 to 10000");
});

test("the page needs no script and nothing from anywhere else", async () => {
  const { pages } = await documented();
  for (const html of pages.values()) {
    expect(html).not.toMatch(/<script(?! src="\/assets\/[^"]*" defer>)|<style|style=|onclick/);
    const bare = html.replace(/<a href="https:\/\/[^"]*">/g, ""); // followed by people only
    for (const [, url = ""] of bare.matchAll(/(?:href|src)="([^"]*)"/g))
      expect(url).toMatch(/^(#|\/docs|\/assets\/|\/openapi\.json$|\/llms\.txt$)/);
  }
});

test("the examples work: subscribe accepts its own example", async () => {
  const { get, post } = await testService();
  const document = (await (await get("/openapi.json")).json()) as OpenApi;
  for (const path of ["/api/newsletter/subscribe", "/api/contact"]) {
    const example = document.paths[path]?.post?.requestBody?.content["application/json"]?.example;
    expect([path, (await post(path, example)).status]).toEqual([path, 201]);
  }
});

const headingsOf = (html: string) =>
  [...html.matchAll(/<h2[^>]*>[^]*?<\/h2>/g)].map(([heading]) =>
    heading
      .replace(/<[^>]*>/g, "")
      .replaceAll("&amp;", "&")
      .replaceAll("&#x27;", "'")
      .trim(),
  );

test("every page is Markdown, too, with its headings and examples, and links to pages in Markdown", async () => {
  const { get, pages } = await documented();
  for (const [path, html] of pages) {
    const answer = await get(`${path}.md`);
    expect([path, answer.status, answer.headers.get("content-type")]).toEqual([
      path,
      200,
      "text/markdown; charset=utf-8",
    ]);
    const text = await answer.text();
    expect(html).toContain(`href="${path}.md"`);
    expect(text).toStartWith(`# ${/<h1>(.*)<\/h1>/.exec(html)?.[1]}\n\n`);
    expect([path, Math.max(Buffer.byteLength(text), maxBytes)]).toEqual([path, maxBytes]);
    const prose = text.replace(/^ *```[^]*?^ *```\n*/gm, "");
    const bare = prose.replace(/`[^`]+`/g, "code");
    expect([path, /``|<\/?\w+[ >]|&\w+;|\n{3}/.exec(bare)?.[0]]).toEqual([path, undefined]);
    const headings = [...prose.matchAll(/^## (.*)$/gm)].map(([, heading = ""]) => heading.replaceAll("`", ""));
    expect([path, headings]).toEqual([path, headingsOf(html)]);
    const examples = [...text.matchAll(/^ *```\w*$/gm)].length / 2;
    expect([path, examples]).toEqual([path, [...html.matchAll(/<pre/g)].length]);
    for (const [, target = ""] of prose.matchAll(/\]\((\/docs[^)#]*)/g))
      expect([path, target, pages.has(target.replace(/\.md$/, ""))]).toEqual([path, target, target.endsWith(".md")]);
  }
  for (const path of ["/docs/no-such-page.md", "/docs/.md", "/docs/errors.md.md", "/docs/search.md"])
    expect([path, (await get(path)).status]).toEqual([path, 404]);
});

test("the start page in Markdown separates a page from what it is about, and code without tabs has its language", async () => {
  const { get } = await documented();
  const text = async (path: string) => (await get(path)).text();
  expect(await text("/docs.md")).toContain("\n- [Plain HTML](/docs/html.md): A newsletter form and a contact form ");
  const quickstart = await text("/docs/hono.md");
  for (const start of ["sh\nnpm ci", "ts\nimport { createClient }", "sh\nexport POSTROOM_KEY="])
    expect(quickstart).toContain(`\n\`\`\`${start}`);
});

test("an operation in Markdown has what its page has", async () => {
  const { get } = await documented();
  const text = await (await get("/docs/contact.md")).text();
  const [, operation = ""] = text.split(/^## /m);
  expect(operation).toStartWith("Send a contact message\n\nPOST `/api/contact`\n\n");
  expect(operation).toContain("### Request body\n\n- `name` required: text. 2 to 100 characters, blanks");
  expect(operation).toContain("\n- `website`: Honeypot: hidden from people.");
  expect(operation).toContain("curl -X POST 'https://post.example/api/contact'");
  expect(operation).toContain("\n- `429` ");
  expect(operation).toContain("[RATE_LIMITED](/docs/errors.md#RATE_LIMITED)");
  for (const language of ["sh", "ts", "python", "go", "json"]) expect(operation).toContain(`\n\`\`\`${language}\n`);
});

test("the example of an answer has the example of each of its fields", async () => {
  const { get } = await documented();
  const [, file = ""] = (await (await get("/docs/files.md")).text()).split("/api/v1/storage/files/{id}`");
  expect(file).toContain('"etag": "d41d8cd98f00b204e9800998ecf8427e-1"');
});

test("llms.txt lists every page as Markdown, with what it is about", async () => {
  const { get, pages } = await documented();
  const answer = await get("/llms.txt");
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
  const links = [...(await answer.text()).matchAll(/^- \[.+\]\(https:\/\/post\.example(.*)\.md\): .+$/gm)];
  expect(links.map(([, path = ""]) => path).sort()).toEqual([...pages.keys()].sort());
});

test.each(["/docs", "/docs/newsletter", "/docs/newsletter.md", "/openapi.json"])(
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
    const compressing = [spyOn(Bun, "zstdCompress"), spyOn(Bun, "zstdCompressSync"), spyOn(Bun, "gzipSync")];
    parse.mockClear();
    for (let i = 0; i < 20; i++) await (await get(path, { "accept-encoding": "gzip, zstd" })).bytes();
    const large = parse.mock.results.filter(({ value }) => typeof value === "string" && value.length > 10_000);
    expect([...compressing.map(({ mock }) => mock.calls.length), large.length]).toEqual([0, 0, 0, 0]);
    for (const spy of [...compressing, parse]) spy.mockRestore();
  },
);

test("a page that cannot be made says nothing of why, and is made the next time", async () => {
  const { get } = await testService();
  const reading = spyOn(Docs, "read").mockRejectedValueOnce(new Error("no such file: /home/ada/postroom/docs"));
  const failed = await get("/docs");
  expect([failed.status, failed.headers.get("content-type")]).toEqual([500, "text/html; charset=utf-8"]);
  expect(await failed.text()).not.toContain("/home");
  expect((await get("/docs")).status).toBe(200);
  reading.mockRestore();
});
