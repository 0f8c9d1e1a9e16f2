import { html } from "@elysiajs/html";
import { type DocumentDecoration, Elysia } from "elysia";
import type { Db } from "../../db/engine/open";
import type { Config } from "../platform/config";
import type { Log } from "../platform/log";
import { conditional, etagOf, keptPages, type Prepared, PreparedFile } from "../http/prepared";
import { failurePage, htmlType } from "../http/response";
import { notRouted } from "../http/unrouted";
import { content, htmlPage, parameter, plainText } from "./responses";
import type { Route } from "./operation";

/**
 * The document and the pages generated from it (D42). Public: they reveal nothing that the README does not.
 *
 * Loaded, generated and compressed on the first visit, so that start-up need not wait, and once for all visits.
 *
 * @param routes called then, when every area has been added
 */
export function documentation(deps: { config: Config; db: Db; log: Log }, routes: () => readonly Route[]) {
  const made = once(async () => (await import("./document")).describeService(routes(), deps.config.BASE_URL));
  const docs = once(async () => (await import("./docs-pages")).Docs.read(await made()));
  const json = once(async () => file(JSON.stringify(await made()), "application/json;charset=utf-8"));
  const list = once(async () => file((await docs()).list(), textType));
  const pages = new Map<string, PreparedFile>();

  /** @param name of a page, empty for the start page */
  async function respond(request: Request, name: string, kind: "html" | "markdown" = "html"): Promise<Response> {
    const key = `${kind} ${name}`;
    const text = pages.has(key) ? undefined : (await docs())[kind](name);
    if (text !== undefined) pages.set(key, file(text, kind === "html" ? htmlType : markdownType));
    return pages.get(key)?.respond(request) ?? (kind === "html" ? missing(request, name) : notRouted());
  }
  const archives = once(() => archivesOf(deps.config.BASE_URL));
  async function download(request: Request, name: "client" | "examples"): Promise<Response> {
    const prepared = (await archives()).get(`postroom-${name}.tgz`);
    return prepared ? conditional(request, prepared) : notRouted();
  }
  const named = (request: Request, name: string) =>
    /.\.md$/.test(name) ? respond(request, name.slice(0, -3), "markdown") : respond(request, name);

  const results = keptPages({ "x-robots-tag": "noindex" });

  async function respondWithMatches(request: Request, words: string, status: 200 | 404): Promise<Response> {
    const made = await docs();
    const index = await made.index();
    const query = words.trim().slice(0, maxQueryLength);
    return results(request, query, status, () => made[status === 404 ? "missing" : "search"](index, query));
  }
  const missing = (request: Request, name: string) => respondWithMatches(request, name, 404);
  const search = (request: Request) =>
    respondWithMatches(request, new URL(request.url).searchParams.get("q") ?? "", 200);

  return new Elysia()
    .onError(({ code, error, request }) => (code === "NOT_FOUND" ? undefined : failurePage(deps, request, error)))
    .use(html({ autoDetect: false }))
    .get("/openapi.json", async ({ request }) => (await json()).respond(request), { detail: details.document })
    .get("/docs", ({ request }) => respond(request, ""), { detail: details.start })
    .get("/docs.md", ({ request }) => respond(request, "", "markdown"), { detail: details.startMarkdown })
    .get("/llms.txt", async ({ request }) => (await list()).respond(request), { detail: details.list })
    .get("/docs/search", ({ request }) => search(request), { detail: details.search })
    .get("/docs/postroom-client.tgz", ({ request }) => download(request, "client"), { detail: details.client })
    .get("/docs/postroom-examples.tgz", ({ request }) => download(request, "examples"), {
      detail: details.examples,
    })
    .get("/docs/:page", ({ request, params }) => named(request, params.page), { detail: details.page });
}

const markdownType = "text/markdown; charset=utf-8";
const textType = "text/plain; charset=utf-8";
const text = { schema: { type: "string" as const } };
const markdown = (description: string) => ({ description, content: { "text/markdown": text } });
const pageOrMarkdown = (description: string) => ({
  description,
  content: { "text/html": text, "text/markdown": text },
});

const archiveOf = (description: string) =>
  content(description, "application/gzip", { type: "string", contentMediaType: "application/gzip" });

const details = {
  document: {
    operationId: "getDocument",
    summary: "OpenAPI 3.1 document of this API",
    responses: { 200: content("The document.", "application/json", {}) },
  },
  start: {
    operationId: "getReference",
    summary: "API documentation as HTML: the start page",
    responses: { 200: htmlPage("Every page and every endpoint.") },
  },
  startMarkdown: {
    operationId: "getReferenceMarkdown",
    summary: "API documentation as Markdown: the start page",
    responses: { 200: markdown("Every page and every endpoint.") },
  },
  list: {
    operationId: "getReferenceList",
    summary: "The pages of the documentation for language models (llms.txt)",
    responses: { 200: plainText("Every page as Markdown, and what it is about.") },
  },
  search: {
    operationId: "searchReference",
    summary: "API documentation as HTML: a search",
    parameters: [parameter("query", "q", "Words that must all be there. Without them, everything is listed.")],
    responses: { 200: htmlPage("The headings that match.") },
  },
  client: {
    operationId: "downloadClient",
    summary: "The TypeScript client as a package",
    description: "For `npm install`. The same version has the same bytes each time.",
    responses: { 200: archiveOf("The package, which has no dependencies.") },
  },
  examples: {
    operationId: "downloadExamples",
    summary: "Sites that use the client, as an archive",
    description: "Whole sites to start from: without a framework, in Astro and in Next.",
    responses: { 200: archiveOf("A folder for each site. Their `package.json` has the client of this service.") },
  },
  page: {
    operationId: "getReferencePage",
    summary: "API documentation as HTML: a page",
    description: "With `.md` at the end of its name, the page is Markdown.",
    responses: { 200: pageOrMarkdown("One subject, such as `newsletter`, `errors` or `limits`.") },
  },
} satisfies Record<string, DocumentDecoration>;

const maxQueryLength = 100;

const file = (text: string, type: string) =>
  new PreparedFile(text, { "content-type": type, "cache-control": "no-cache" });

async function archivesOf(baseUrl: string): Promise<Map<string, Prepared>> {
  const { downloads } = await import("./packages");
  return new Map(Object.entries(await downloads(baseUrl)).map(([name, bytes]) => [name, archive(bytes)]));
}

/** It is compressed already, and npm compares its bytes. */
function archive(body: Uint8Array<ArrayBuffer>): Prepared {
  const etag = etagOf(body);
  const headers = new Headers({ "content-type": "application/gzip", "cache-control": "no-cache", etag });
  return { body, etag, headers, until: undefined };
}

/** Makes it once. What failed is made again the next time. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error) => {
      made = undefined;
      throw error;
    }));
}
