import packageJson from "../../package.json";
import { withCurl } from "./curl";
import type { OpenApi } from "./types";
import { components, introduction, tags } from "./prose";
import { operation, type Route } from "./operation";

/** The dashboard is for people with a browser, and assets are looked up by hash: neither is part of the contract. */
export const isDocumented = ({ path }: Pick<Route, "path">) => !/^\/($|(dashboard|assets)(\/|$))/.test(path);

/**
 * Builds the OpenAPI 3.1 document of these routes (D42) from their own schemas and `detail`, and from what every route
 * of an area does.
 */
export function describeService(routes: readonly Route[], baseUrl: string): OpenApi {
  const paths: OpenApi["paths"] = {};
  for (const route of routes.filter(isDocumented)) {
    const path = documentPath(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  const document = withReferences({
    openapi: "3.1.1",
    info: { title: "Postroom", version: packageJson.version, summary: packageJson.description, ...introduction },
    servers: [{ url: baseUrl }],
    tags,
    paths,
    components,
  });
  return withCurl(document);
}

/** "/api/posts/:slug" is "/api/posts/{slug}" in OpenAPI. */
export const documentPath = (path: string) => path.replace(/(.)\/$/, "$1").replace(/:(\w+)/g, "{$1}");

/** zod refers to named schemas under `$defs`; the document keeps them elsewhere. */
const withReferences = (document: object): OpenApi =>
  JSON.parse(JSON.stringify(document).replaceAll('"#/$defs/', '"#/components/schemas/'));
