import { formType } from "./responses";
import type { OpenApi, Operation } from "./types";
import { example } from "./example";

/** Adds a curl command to each operation, where readers of OpenAPI look for samples. */
export function withCurl(document: OpenApi): OpenApi {
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
  const url = `${document.servers[0]?.url}${path}${search && `?${search}`}`;
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
