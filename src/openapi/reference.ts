import { example, exampleOf, pathValues, typeOf, withNamed } from "./json-schema";
import { codesOf } from "./docs-errors";
import { type ExampleRequest, samplesOf } from "./docs-samples";
import type { Endpoint, Field, Status } from "../../views/docs/endpoint";
import type { Event } from "../../views/docs/guides";
import type { Section } from "../../views/docs/start";
import { type JsonSchema, type OpenApi, type Operation, type ResponseObject, schemaIn } from "./responses";

/** The document as shown on the docs pages: endpoints by area, in the order of the routes. */
export function reference(document: OpenApi, tags: { name: string; description: string }[]): Section[] {
  const endpoints = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      tag: operation.tags[0],
      endpoint: endpoint(document, method.toUpperCase(), path, operation),
    })),
  );
  return tags
    .map(({ name, description }) => ({
      name,
      description,
      endpoints: endpoints.filter(({ tag }) => tag === name).map((item) => item.endpoint),
    }))
    .filter(({ endpoints: some }) => some.length > 0);
}

function endpoint(document: OpenApi, method: string, path: string, operation: Operation): Endpoint {
  const { operationId: id, summary, description, parameters, requestBody, security } = operation;
  const [body] = Object.values(requestBody?.content ?? {});
  const statuses = Object.entries(operation.responses).map(([code, answer]) => status(document, code, answer));
  return {
    id,
    method,
    path,
    summary,
    description,
    isKeyed: security.length > 0,
    parameters: parameters.map(({ name, in: place, required = false, description: about, schema = {} }) =>
      field(name, place, required, { ...schema, ...(about && { description: about }) }),
    ),
    body: body ? fieldsOf(document, resolvedSchema(document, body.schema)) : [],
    samples: samplesOf(
      exampleRequest(document, method, path, operation),
      operation["x-codeSamples"]?.[0]?.source ?? "",
    ),
    example: statuses.find(({ code, sample }) => code === "201" && sample) ?? statuses.find(({ sample }) => sample),
    statuses,
  };
}

/** A request as its example shows it, with the names that the example of its response has. */
function exampleRequest(document: OpenApi, method: string, route: string, operation: Operation): ExampleRequest {
  const { operationId, parameters, requestBody, security } = operation;
  const { schemas } = document.components;
  const media = requestBody?.content["application/json"];
  return {
    operationId,
    method,
    baseUrl: document.servers[0]?.url ?? "",
    route,
    path: pathValues(document, operation),
    isKeyed: security.length > 0,
    takesIdempotencyKey: parameters.some(({ name }) => name === "Idempotency-Key"),
    body: media && (media.example ?? example(media.schema, schemas)),
  };
}

/** The schema with what it refers to, if that is a named one. */
export const resolvedSchema = ({ components }: OpenApi, schema: JsonSchema): JsonSchema =>
  withNamed(schema, components.schemas);

const fieldsOf = (document: OpenApi, { properties = {}, required = [] }: JsonSchema): Field[] =>
  Object.entries(properties).map(([name, of]) =>
    field(name, "body", required.includes(name), presentSchema(document, schemaIn(of))),
  );

/** Of a named schema or null, the schema itself, with what the field says of it. */
function presentSchema(document: OpenApi, schema: JsonSchema): JsonSchema {
  const { anyOf: [alternative = schema] = [], description } = schema;
  const present = schemaIn(alternative);
  if (present.$ref === undefined) return schema;
  return { ...resolvedSchema(document, present), ...(description && { description }) };
}

function field(name: string, place: string, required: boolean, schema: JsonSchema): Field {
  const [alternative = schema] = schema.anyOf ?? []; // the other one is null
  const present = typeOf(schema) ? schema : schemaIn(alternative);
  return { name, place, required, description: schema.description ?? present.description, rule: rule(present) };
}

/** "text, 2 to 100 characters", "integer, 1 to 100, 20 when absent", "list of integer, 1 to 9". */
function rule(schema: JsonSchema): string {
  const { format, enum: oneOf, minLength, maxLength, minimum, maximum, default: absent, items } = schema;
  const type = typeOf(schema);
  if (type === "array" && items) return `list of ${rule(schemaIn(items))}`;
  const kind = oneOf ? oneOf.join(" or ") : (format ?? (type === "string" ? "text" : type));
  const length = maxLength && (minLength ? `${minLength}–${maxLength} characters` : `at most ${maxLength} characters`);
  const size = maximum !== undefined && `${minimum ?? 0} to ${maximum}`;
  return [kind, length, size, absent !== undefined && `defaults to ${absent}`].filter(Boolean).join(", ");
}

function status(document: OpenApi, code: string, answer: ResponseObject): Status {
  const { description, content } = "$ref" in answer ? resolved(document, answer.$ref) : answer;
  const media = content?.["application/json"];
  const isFailure = Number(code) >= 400;
  const [, named] = /"code":"(\w+)"/.exec(JSON.stringify(media?.example ?? {})) ?? [];
  const sample = media && exampleOf(document, { description, content });
  return {
    code,
    description,
    type: Object.keys(content ?? {})[0],
    sample: sample && !isFailure ? JSON.stringify(sample, null, 2) : undefined,
    errors: !media || !isFailure ? [] : named ? [named] : codesOf(code),
  };
}

function resolved({ components }: OpenApi, reference: string) {
  const answer = components.responses[reference.split("/").at(-1) ?? ""];
  if (!answer || "$ref" in answer) throw new Error(`The document has no answer ${reference}`);
  return answer;
}

/** The events of webhooks, each with the fields of its data and a payload. */
export const eventsOf = (document: OpenApi): Event[] =>
  Object.entries(document.webhooks).map(([type, { post }]) => {
    const { operationId: id, summary, requestBody } = post;
    const schema = eventSchema(document, requestBody);
    const fields = fieldsOf(document, schemaIn(schema.properties?.data ?? {}));
    const payload = Object.assign({}, example(schema, document.components.schemas), { type });
    return { id, type, summary, fields, payload: JSON.stringify(payload, null, 2) };
  });

/** The schema of the payload that a webhook's operation refers to. */
export const eventSchema = ({ components }: OpenApi, { $ref }: { $ref: string }): JsonSchema =>
  components.requestBodies[$ref.split("/").at(-1) ?? ""]?.content["application/json"]?.schema ?? {};

/** The headers of every call of a webhook. */
export const webhookHeaders = ({ webhooks }: OpenApi): Field[] =>
  (Object.values(webhooks)[0]?.post.parameters ?? []).map(({ name, in: place, description, schema = {} }) =>
    field(name, place, true, { ...schema, ...(description && { description }) }),
  );
