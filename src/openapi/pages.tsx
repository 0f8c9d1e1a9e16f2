import { html } from "@elysiajs/html";
import { Elysia } from "elysia";
import type { Config } from "../platform/config";
import { PreparedFile } from "../http/prepared";
import { documentOf, htmlType } from "../http/response";
import { content, htmlPage } from "./responses";
import type { Route } from "./operation";

/**
 * The document and the page generated from it (D42). Public: it reveals nothing that the README does not.
 *
 * Loaded, generated and compressed on the first visit, so that start-up need not wait, and once for all visits.
 *
 * @param routes called then, when every area has been added
 */
export function documentation({ BASE_URL }: Config, routes: () => readonly Route[]) {
  const made = once(async () => (await import("./document")).describeService(routes(), BASE_URL));
  const page = once(async () => {
    const [document, { reference }, { tags }, { DocsPage }] = await Promise.all([
      made(),
      import("./reference"),
      import("./prose"),
      import("../../views/docs"),
    ]);
    return file(documentOf(<DocsPage sections={reference(document, tags)} />), htmlType);
  });
  const json = once(async () => file(JSON.stringify(await made()), "application/json;charset=utf-8"));

  return new Elysia()
    .use(html({ autoDetect: false }))
    .get("/openapi.json", async ({ request }) => (await json()).respond(request), {
      detail: {
        operationId: "getDocument",
        summary: "OpenAPI 3.1 document of this API",
        responses: { 200: content("The document.", "application/json", {}) },
      },
    })
    .get("/docs", async ({ request }) => (await page()).respond(request), {
      detail: {
        operationId: "getReference",
        summary: "API reference as an HTML page",
        responses: { 200: htmlPage("Every endpoint with its parameters, an example and its errors.") },
      },
    });
}

const file = (text: string, type: string) =>
  new PreparedFile(text, { "content-type": type, "cache-control": "no-cache" });

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
