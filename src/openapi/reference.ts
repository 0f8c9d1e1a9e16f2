import { example, typeOf } from "./json-schema";
import type { Endpoint, Field, Section, Status } from "../../views/docs";
import { type JsonSchema, type OpenApi, type Operation, type ResponseObject, schemaIn } from "./responses";

/** The document as shown on the docs page: endpoints by area, in the order of the routes. */
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
    body: body ? bodyFields(resolvedSchema(document, body.schema)) : [],
    curl: operation["x-codeSamples"]?.[0]?.source ?? "",
    example: statuses.find(({ code, sample }) => code === "201" && sample) ?? statuses.find(({ sample }) => sample),
    statuses,
  };
}

/** The schema itself, if this refers to a named one. */
export const resolvedSchema = ({ components }: OpenApi, schema: JsonSchema): JsonSchema =>
  schema.$ref ? (components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? schema) : schema;

const bodyFields = ({ properties = {}, required = [] }: JsonSchema): Field[] =>
  Object.entries(properties).map(([name, of]) => field(name, "body", required.includes(name), schemaIn(of)));

const field = (name: string, place: string, required: boolean, schema: JsonSchema): Field => ({
  name,
  place,
  required,
  description: schema.description,
  rule: rule(schema),
});

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
  const { description, content, headers } = "$ref" in answer ? resolved(document, answer.$ref) : answer;
  const media = content?.["application/json"];
  const sample = media && (media.example ?? example(media.schema as JsonSchema, document.components.schemas));
  return {
    code,
    description,
    headers: Object.keys(headers ?? {}),
    type: Object.keys(content ?? {})[0],
    sample: sample && JSON.stringify(sample, null, 2),
  };
}

function resolved({ components }: OpenApi, reference: string) {
  const answer = components.responses[reference.split("/").at(-1) ?? ""];
  if (!answer || "$ref" in answer) throw new Error(`The document has no answer ${reference}`);
  return answer;
}
