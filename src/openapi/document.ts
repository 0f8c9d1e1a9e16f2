import type { DocumentDecoration } from "elysia";
import type { z } from "zod";
import packageJson from "../../package.json" with { type: "json" };
import type { JsonSchema } from "./responses";
import { withCurl } from "./curl";
import { toJsonSchema, typeOf } from "./json-schema";
import type { OpenApi, Operation, Parameter } from "./types";
import { components, introduction, tagOf, tags } from "./prose";
import { isKeyed, sharedResponses } from "./shared-responses";

/** The parts of an Elysia route that the document is built from. */
export type Route = { method: string; path: string; hooks?: unknown };
type Hooks = { body?: z.ZodType; query?: z.ZodType; detail?: DocumentDecoration };

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

function operation({ method, path, hooks }: Route): Operation {
  const { body, query, detail = {} } = (hooks ?? {}) as Hooks;
  const { responses = {} } = detail;
  const parameters = [
    ...[...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => inPath(name)),
    ...(query ? inQuery(toJsonSchema(query)) : []),
    ...((detail.parameters ?? []) as Parameter[]),
  ];
  return {
    operationId: detail.operationId ?? nameOf(method, path),
    tags: detail.tags ?? [tagOf(path)],
    summary: detail.summary ?? `${method} ${path}`,
    ...(detail.description && { description: detail.description }),
    security: isKeyed(path) ? [{ apiKey: [] }] : [],
    parameters,
    ...(body && { requestBody: requestBody(body, detail) }),
    responses: sharedResponses({
      method,
      path,
      own: responses,
      takesInput: Boolean(body ?? query),
      isPaged: parameters.some(({ name }) => name === "cursor"),
    }),
  };
}

function requestBody(body: z.ZodType, { requestBody: said }: DocumentDecoration) {
  const media = said && "content" in said ? said.content["application/json"] : {};
  const isRequired = !said || !("required" in said) || said.required === true;
  return { required: isRequired, content: { "application/json": { ...media, schema: toJsonSchema(body) } } };
}

/** Nothing that can be requested has a longer name; the whole request line must fit into 16 KiB (P79). */
const maxSegmentLength = 500;

const inPath = (name: string): Parameter => ({
  name,
  in: "path",
  required: true,
  schema: { type: "string", maxLength: maxSegmentLength },
});

function inQuery({ properties = {}, required = [] }: JsonSchema): Parameter[] {
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = property as JsonSchema;
    const type = typeOf(schema);
    if (type) schema.type = type; // there is no null in a query
    if (type === "integer") delete schema.pattern; // sent as text, but a number for everyone else
    return { name, in: "query", required: required.includes(name), ...(description && { description }), schema };
  });
}

/** GET /api/v1/posts is getApiV1Posts. */
const nameOf = (method: string, path: string) =>
  method.toLowerCase() +
  path
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");

/** zod refers to named schemas under `$defs`; the document keeps them elsewhere. */
const withReferences = (document: object): OpenApi =>
  JSON.parse(JSON.stringify(document).replaceAll('"#/$defs/', '"#/components/schemas/'));
