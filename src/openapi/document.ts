import packageJson from "../../package.json";
import { components, introduction, tags } from "./prose";
import { bodyOf, operation, type Route } from "./operation";
import { example, namedSchemas, nameOf, pathValues } from "./json-schema";
import { formType } from "../http/request-body";
import { envelope, type JsonSchema, type SchemaName, type OpenApi, type Operation } from "./responses";
import { eventBodies, webhooks } from "./event-schemas";

/** The dashboard is for people with a browser, and assets are looked up by hash: neither is part of the contract. */
export const isDocumented = ({ path }: Pick<Route, "path">) => !/^\/($|(dashboard|assets)(\/|$))/.test(path);

/**
 * Builds the OpenAPI 3.1 document of these routes (D42) from their own schemas and `detail`, and from what every route
 * of an area does.
 *
 * @param isExact with the patterns that match exactly what the routes accept, and which few programs can read
 */
export function describeService(all: readonly Route[], baseUrl: string, { isExact = false } = {}): OpenApi {
  const paths: OpenApi["paths"] = {};
  const routes = all.filter(isDocumented);
  for (const route of routes) {
    const path = documentPath(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  const bodies = new Set(routes.flatMap((route) => bodyOf(route) ?? []).filter(nameOf));
  const document = withReferences({
    openapi: "3.1.1",
    info: { title: "Postroom", version: packageJson.version, summary: packageJson.description, ...introduction },
    servers: [{ url: baseUrl }],
    tags,
    paths,
    webhooks,
    components: { ...components, requestBodies: eventBodies(), schemas: namedSchemas([...bodies]) },
  });
  return withCurl(withEnvelopes(isExact ? document : readable(document)));
}

/** "/api/posts/:slug" is "/api/posts/{slug}" in OpenAPI. */
export const documentPath = (path: string) => path.replace(/(.)\/$/, "$1").replace(/:(\w+)/g, "{$1}");

/** zod refers to named schemas under `$defs`; the document keeps them elsewhere. */
const withReferences = (document: object): OpenApi =>
  JSON.parse(JSON.stringify(document).replaceAll('"#/$defs/', '"#/components/schemas/'));

/** Adds the envelope of every datum that a success refers to: "PostList" is in a "PostListResponse". */
function withEnvelopes(document: OpenApi): OpenApi {
  const { schemas } = document.components;
  for (const [, name = ""] of JSON.stringify(document.paths).matchAll(/"#\/components\/schemas\/(\w+)Response"/g))
    schemas[`${name}Response`] ??= envelope(name as SchemaName);
  return document;
}

const maxPatternLength = 120;

/** A schema of its own, not only a condition on the fields of the one around it. */
const isAlternative = (schema: JsonSchema) => "type" in schema || "$ref" in schema;

/** More than a type and null. */
const isUnion = (value: unknown): value is { type: string[] } =>
  typeof value === "object" &&
  value !== null &&
  "type" in value &&
  Array.isArray(value.type) &&
  value.type.filter((type) => type !== "null").length > 1;

/**
 * Without what programs that generate clients cannot read: patterns with lookaround, which RE2 does not have, or as
 * long as a page; bounds that every number in JSON has; and what two fields may not be together, which descriptions
 * say in words. One of several types is written as alternatives.
 */
const readable = (document: OpenApi): OpenApi =>
  JSON.parse(JSON.stringify(document), (name, value: unknown) => {
    if (name === "pattern" && typeof value === "string")
      return value.length > maxPatternLength || /\(\?[!=<]/.test(value) ? undefined : value;
    if (name === "propertyNames" || (name === "anyOf" && !(value as JsonSchema[]).some(isAlternative))) return;
    if (isUnion(value)) return { ...value, type: undefined, anyOf: value.type.map((type) => ({ type })) };
    return (name === "minimum" || name === "maximum") && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER
      ? undefined
      : value;
  });

/** Adds a curl command to each operation, where readers of OpenAPI look for samples. */
function withCurl(document: OpenApi): OpenApi {
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(operations)) {
      const source = curl(document, method.toUpperCase(), path, operation);
      operation["x-codeSamples"] = [{ lang: "Shell", label: "curl", source }];
    }
  return document;
}

function curl(document: OpenApi, method: string, path: string, operation: Operation): string {
  const { parameters, requestBody, security } = operation;
  const query = parameters.filter(({ in: place, required }) => place === "query" && required);
  const search = query.map(({ name, schema }) => `${name}=${example(schema ?? {}, {})}`).join("&");
  const values = pathValues(document, operation);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? name);
  const url = `${document.servers[0]?.url}${filled}${search && `?${search}`}`;
  const { [formType]: form, "application/json": json } = requestBody?.content ?? {};
  const sampleOf = (media: typeof json) =>
    media && (media.example ?? example(media.schema, document.components.schemas));
  const [fields, body] = [sampleOf(form), sampleOf(json)];
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}'${url}'`,
    ...(security.length ? ["-H 'x-api-key: <your key>'"] : []),
    ...(parameters.some(({ name }) => name === "Idempotency-Key") ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(fields ? [`-d '${new URLSearchParams(fields as Record<string, string>)}'`] : []),
    ...(body ? ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body)}'`] : []),
  ].join(" \\\n  ");
}
