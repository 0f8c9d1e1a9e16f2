import { html } from "@elysiajs/html";
import { Elysia } from "elysia";
import { z } from "zod";
import { DocsPage } from "../../views/docs";
import type { Config } from "../config";
import { page } from "../page";
import { bareJson, htmlPage } from "./answers";
import { describeService, type Route } from "./document";
import { tags } from "./prose";
import { reference } from "./reference";

/**
 * The document and the page made from it (D42). Public: it says nothing that the README does not.
 *
 * @param routes asked at the first visit, when every area has been added
 */
export function documentation({ BASE_URL }: Config, routes: () => readonly Route[]) {
  const made = once(() => describeService(routes(), BASE_URL));
  const sections = once(() => reference(made(), tags));

  return new Elysia()
    .use(html({ autoDetect: false }))
    .get("/openapi.json", () => Response.json(made(), { headers: { "cache-control": "no-cache" } }), {
      detail: {
        summary: "This interface as an OpenAPI 3.1 document",
        responses: { 200: bareJson(z.looseObject({ openapi: z.string() }), "The document.") },
      },
    })
    .get("/docs", () => page(<DocsPage sections={sections()} />, 200, { "cache-control": "no-cache" }), {
      detail: {
        summary: "This interface as a page",
        responses: { 200: htmlPage("Every endpoint with its parameters, an example and its errors.") },
      },
    });
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
