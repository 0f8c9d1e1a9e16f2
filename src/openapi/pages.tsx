import { html } from "@elysiajs/html";
import { type DocumentDecoration, Elysia } from "elysia";
import type { Config } from "../platform/config";
import { keptPages, PreparedFile } from "../http/prepared";
import { htmlType } from "../http/response";
import { notRouted } from "../http/unrouted";
import { content, htmlPage, parameter } from "./responses";
import type { Route } from "./operation";

/**
 * The document and the pages generated from it (D42). Public: they reveal nothing that the README does not.
 *
 * Loaded, generated and compressed on the first visit, so that start-up need not wait, and once for all visits.
 *
 * @param routes called then, when every area has been added
 */
export function documentation({ BASE_URL }: Config, routes: () => readonly Route[]) {
  const made = once(async () => (await import("./document")).describeService(routes(), BASE_URL));
  const docs = once(async () => new (await import("./docs-pages")).Docs(await made()));
  const json = once(async () => file(JSON.stringify(await made()), "application/json;charset=utf-8"));
  const pages = new Map<string, PreparedFile>();

  async function page(slug: string): Promise<PreparedFile | undefined> {
    const text = pages.has(slug) ? undefined : (await docs()).html(slug);
    if (text !== undefined) pages.set(slug, file(text, htmlType));
    return pages.get(slug);
  }
  const respond = async (request: Request, slug: string) => (await page(slug))?.respond(request) ?? notRouted();

  const results = keptPages({ "x-robots-tag": "noindex" });

  async function search(request: Request): Promise<Response> {
    const query = (new URL(request.url).searchParams.get("q") ?? "").trim().slice(0, maxQueryLength);
    const made = await docs();
    const index = await made.index();
    return results(request, query, 200, () => made.search(index, query));
  }

  return new Elysia()
    .use(html({ autoDetect: false }))
    .get("/openapi.json", async ({ request }) => (await json()).respond(request), { detail: details.document })
    .get("/docs", ({ request }) => respond(request, ""), { detail: details.start })
    .get("/docs/search", ({ request }) => search(request), { detail: details.search })
    .get("/docs/:page", ({ request, params }) => respond(request, params.page), { detail: details.page });
}

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
  search: {
    operationId: "searchReference",
    summary: "API documentation as HTML: a search",
    parameters: [parameter("query", "q", "Words that must all be there. Without them, everything is listed.")],
    responses: { 200: htmlPage("The headings that match.") },
  },
  page: {
    operationId: "getReferencePage",
    summary: "API documentation as HTML: a page",
    responses: { 200: htmlPage("One subject, such as `newsletter`, `errors` or `limits`.") },
  },
} satisfies Record<string, DocumentDecoration>;

const maxQueryLength = 100;

const file = (text: string, type: string) =>
  new PreparedFile(text, { "content-type": type, "cache-control": "no-cache" });

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
