import type { DocumentDecoration } from "elysia";
import type { z } from "zod";

export type Responses = NonNullable<DocumentDecoration["responses"]>;
export type ResponseObject = Responses[string];
export type JsonSchema = z.core.JSONSchema.JSONSchema;
/**
 * The name of a response schema. Routes give only the name: the schemas are generated when the document is requested.
 */
export type SchemaName = keyof typeof import("./schemas") | keyof typeof import("./file-schemas");

export type Parameter = { name: string; in: string; required?: boolean; description?: string; schema?: JsonSchema };
type RequestBody = { required: boolean; content: Record<string, { schema: JsonSchema; example?: unknown }> };
export type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, string[]>[];
  parameters: Parameter[];
  requestBody?: RequestBody;
  responses: Responses;
  "x-codeSamples"?: { lang: string; label: string; source: string }[];
};
export type OpenApi = {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Omit<Operation, "requestBody"> & { requestBody: { $ref: string } } }>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, ResponseObject>;
    requestBodies: Record<string, RequestBody>;
  };
};

/**
 * A success in its envelope (spec part 1), for the `detail.responses` of a route. `example` is a possible value of
 * data.
 */
export const success = (data: SchemaName, description: string, example?: object) =>
  content(
    description,
    "application/json",
    { $ref: `#/components/schemas/${data}Response` },
    example && { success: true, data: example, error: null },
  );

/**
 * An error with this status, in its envelope (D5). The common ones are added automatically: see
 * `sharedResponses` of ./operation.
 */
export const failure = (description: string) =>
  content(description, "application/json", { $ref: "#/components/schemas/Failure" });

/** For rate-limited routes: 429, and the headers that announce it (D31). */
export const limited: Responses = { 429: { $ref: "#/components/responses/TooManyRequests" } };

/** For reads with an ETag: an unchanged response is not sent again (D24). */
export const notModified: Responses = { 304: { $ref: "#/components/responses/NotModified" } };

/** A part of a schema that is one itself: ours are never just true or false, nor a list. */
export const schemaIn = (part: z.core.JSONSchema._JSONSchema | z.core.JSONSchema._JSONSchema[]): JsonSchema =>
  typeof part === "object" && !Array.isArray(part) ? part : {};

/** An example of the body. Its schema is the route's own. */
export const bodyExample = (example: object, type = "application/json") => ({ content: { [type]: { example } } });

/** A parameter that is not in the route's zod schemas. */
export const parameter = (
  place: "query" | "header",
  name: string,
  description: string,
  {
    required = false,
    ...schema
  }: {
    required?: boolean;
    pattern?: string;
    format?: string;
    maxLength?: number;
    const?: string;
    examples?: string[];
  } = {},
) => ({ name, in: place, required, description, schema: { type: "string" as const, ...schema } });

/** For public routes that sites call on behalf of their visitors. */
export const visitorParameters = [
  parameter(
    "header",
    "Postroom-Visitor-Address",
    "The IP address of the visitor on whose behalf a site calls, with an `x-api-key` that has the scope `visitors`: limits, views and duplicates are then the visitor’s. One public address, without a port; IPv6 counts by /64. Without such a key it is ignored. The `Postroom-Visitor` header of the response says which.",
    { examples: ["8.8.8.8"] },
  ),
  parameter("header", "Postroom-Visitor-Agent", "The visitor’s `User-Agent`, under the same conditions."),
  parameter(
    "header",
    "Postroom-Visitor-Referrer",
    "The visitor’s `Referer`, under the same conditions: views are counted by its host. Nothing else of it is kept.",
    { examples: ["https://search.example/"] },
  ),
];

const named = (name: SchemaName): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** The envelope of a success (spec part 1). */
export const envelope = (data: SchemaName): JsonSchema => ({
  type: "object",
  properties: { success: { type: "boolean", const: true }, data: named(data), error: { type: "null" } },
  required: ["success", "data", "error"],
});

/** Elysia types `detail` as OpenAPI 3.0; the document is 3.1, whose schemas are JSON Schema itself. */
export const content = (description: string, type: string, schema: JsonSchema, example?: object) =>
  ({ description, content: { [type]: { schema, ...(example && { example }) } } }) as ResponseObject;

/** A page for people. */
export const htmlPage = (description: string) => content(description, "text/html", { type: "string" });

/** Plain text, such as metrics for Prometheus. */
export const plainText = (description: string) => content(description, "text/plain", { type: "string" });

/** A feed or sitemap. XML stays text in generated clients: none of them can parse it. */
export const xml = (type: string) => content("The file.", type, { type: "string", contentMediaType: type });

/** JSON that is not in an envelope. */
export const bareJson = (data: SchemaName, description: string) =>
  content(description, "application/json", named(data));

export const redirect = (description: string) =>
  ({ description, headers: { Location: { schema: { type: "string" } } } }) satisfies ResponseObject;
