import { html } from "@elysiajs/html";
import { Elysia } from "elysia";
import type { Config } from "../platform/config";
import { PreparedFile } from "../http/prepared";
import { htmlType } from "../http/response";
import { notRouted } from "../http/unrouted";
import { content, htmlPage } from "./responses";
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

  return new Elysia()
    .use(html({ autoDetect: false }))
    .get("/openapi.json", async ({ request }) => (await json()).respond(request), {
      detail: {
        operationId: "getDocument",
        summary: "OpenAPI 3.1 document of this API",
        responses: { 200: content("The document.", "application/json", {}) },
      },
    })
    .get("/docs", ({ request }) => respond(request, ""), {
      detail: {
        operationId: "getReference",
        summary: "API documentation as HTML: the start page",
        responses: { 200: htmlPage("Every page and every endpoint.") },
      },
    })
    .get("/docs/:page", ({ request, params }) => respond(request, params.page), {
      detail: {
        operationId: "getReferencePage",
        summary: "API documentation as HTML: a page",
        responses: { 200: htmlPage("One subject, such as `newsletter`, `errors` or `limits`.") },
      },
    });
}

const file = (text: string, type: string) =>
  new PreparedFile(text, { "content-type": type, "cache-control": "no-cache" });

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
