import { formType } from "../http/request-body";
import type { DocumentDecoration } from "elysia";
import type { z } from "zod";
import { nameOf, toJsonSchema, typeOf } from "./json-schema";
import {
  type JsonSchema,
  type Operation,
  type Parameter,
  type ResponseObject,
  type Responses,
  schemaIn,
} from "./responses";
import { tagOf } from "./prose";
import { isApi } from "../platform/request-context";
import { scopeOf } from "./scopes";

/** The parts of an Elysia route that the document is built from. */
export type Route = { method: string; path: string; hooks?: unknown };
type Hooks = { body?: z.ZodType; query?: z.ZodType; detail?: DocumentDecoration & { form?: z.ZodType } };

const hooksOf = ({ hooks }: Route) => (hooks ?? {}) as Hooks;

/** The schema of a route's request body: JSON, or an HTML form. */
export function bodyOf(route: Route): z.ZodType | undefined {
  const { body, detail } = hooksOf(route);
  return body ?? detail?.form;
}

export function operation(route: Route): Operation {
  const { method, path } = route;
  const { body, query, detail = {} } = hooksOf(route);
  const { responses = {} } = detail;
  const scope = scopeOf(detail);
  const description = [detail.description, scope && `Needs the scope \`${scope}\`.`].filter(Boolean).join(" ");
  const parameters = [
    ...[...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => inPath(name)),
    ...(query ? inQuery(toJsonSchema(query)) : []),
    ...((detail.parameters ?? []) as Parameter[]),
  ];
  return {
    operationId: detail.operationId ?? `${method} ${path}`,
    tags: detail.tags ?? [tagOf(path)],
    summary: detail.summary ?? `${method} ${path}`,
    ...(description && { description }),
    security: detail.security ?? [],
    parameters,
    ...(body && { requestBody: requestBody(body, "application/json", detail) }),
    ...(detail.form && { requestBody: requestBody(detail.form, formType, detail) }),
    responses: sharedResponses({
      method,
      path,
      own: responses,
      takesInput: Boolean(body ?? query),
      isPaged: parameters.some(({ name }) => name === "cursor"),
      isCounted: !parameters.some(({ name }) => name === "count"),
      takesVisitor: parameters.some(({ name }) => name === "Postroom-Visitor-Address"),
    }),
  };
}

function requestBody(body: z.ZodType, type: string, { requestBody: said }: DocumentDecoration) {
  const media = said && "content" in said ? said.content[type] : {};
  const isRequired = !said || !("required" in said) || said.required === true;
  const name = nameOf(body);
  const schema = name === undefined ? toJsonSchema(body) : { $ref: `#/components/schemas/${name}` };
  return { required: isRequired, content: { [type]: { ...media, schema } } };
}

/** Nothing that can be requested has a longer name; the whole request line must fit into 16 KiB. */
const maxSegmentLength = 500;

const inPath = (name: string): Parameter => ({
  name,
  in: "path",
  required: true,
  schema: { type: "string", maxLength: maxSegmentLength },
});

function inQuery({ properties = {}, required = [] }: JsonSchema): Parameter[] {
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = schemaIn(property);
    const type = typeOf(schema);
    if (type) schema.type = type; // there is no null in a query
    if (type === "integer") delete schema.pattern; // sent as text, but a number for everyone else
    if (String(schema.enum) === "true,false") {
      schema.type = "boolean"; // sent as text, too
      delete schema.enum;
    }
    return { name, in: "query", required: required.includes(name), ...(description && { description }), schema };
  });
}

type RouteFacts = {
  method: string;
  path: string;
  /** The route's own responses, which take precedence. */
  own: Responses;
  /** Whether it has a schema that a request can violate. */
  takesInput: boolean;
  isPaged: boolean;
  /** Whether a page always says how many there are, not only on request. */
  isCounted: boolean;
  /** Whether sites call it on behalf of their visitors. */
  takesVisitor: boolean;
};

const isKeyed = (path: string) => path.startsWith("/api/v1/");

/** The HTTP parser's own response: every route has it, and it is listed unless the route has another 400. */
const malformed = { $ref: "#/components/responses/Malformed" };

const neverRejected =
  /^\/(healthz|readyz|metrics|api\/newsletter\/(unsubscribe|leave|confirm|confirm-again)|newsletter\/preferences)$/;

/** Returns a route's own responses and those of its area (D5, D6, D29, D31). */
function sharedResponses({ method, path, own, takesInput, isPaged, isCounted, takesVisitor }: RouteFacts): Responses {
  const inEnvelope = isApi(path);
  const named = (name: string) => ({ $ref: `#/components/responses/${name}${inEnvelope ? "" : "Page"}` });
  const all: Responses = {
    ...(takesInput ? { 400: named("NotValid") } : inEnvelope && { 400: malformed }),
    ...(isKeyed(path) && { 401: named("Unauthorized"), 403: named("Forbidden"), 429: named("TooManyRequests") }),
    ...(path.includes(":") && { 404: named("NotFound") }),
    ...(method !== "GET" && { 413: named("TooLarge") }),
    500: named("Failed"),
    ...(!neverRejected.test(path) && { 503: named("Overloaded") }),
    ...own,
  };
  const isLimited = "429" in all && !/^\/api\/(webhooks|posts|projects)\//.test(path); // there, only bad signatures and named visitors count
  for (const [status, answer] of Object.entries(all)) {
    const names = [
      ...(isLimited && /^(2..|400|403|429)$/.test(status) ? ["RateLimit", "RateLimit-Policy"] : []),
      ...(status === "429" || (status === "503" && inEnvelope) ? ["Retry-After"] : []),
      ...(takesVisitor && /^(2..|302)$/.test(status) ? ["Postroom-Visitor"] : []),
      ...("304" in own && status === "200" ? ["ETag"] : []),
      ...(isPaged && status === "200" ? ["Link", "Postroom-Next-Cursor"] : []),
      ...(isPaged && isCounted && status === "200" ? ["X-Total-Count"] : []),
    ];
    all[status] = withHeaders(answer, names);
  }
  return all;
}

function withHeaders(answer: ResponseObject, names: string[]): ResponseObject {
  if ("$ref" in answer || !names.length) return answer;
  const references = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
  return { ...answer, headers: { ...answer.headers, ...references } };
}
