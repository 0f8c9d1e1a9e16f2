import type { DocumentDecoration } from "elysia";
import type { z } from "zod";
import { nameOf, toJsonSchema } from "./json-schema";
import { formType } from "./responses";
import type { Operation, Parameter } from "./types";
import { tagOf } from "./prose";
import { isKeyed, sharedResponses } from "./shared-responses";
import { inPath, inQuery } from "./parameters";

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
  const parameters = [
    ...[...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => inPath(name)),
    ...(query ? inQuery(toJsonSchema(query)) : []),
    ...((detail.parameters ?? []) as Parameter[]),
  ];
  return {
    operationId: detail.operationId ?? `${method} ${path}`,
    tags: detail.tags ?? [tagOf(path)],
    summary: detail.summary ?? `${method} ${path}`,
    ...(detail.description && { description: detail.description }),
    security: isKeyed(path) ? [{ apiKey: [] }] : [],
    parameters,
    ...(body && { requestBody: requestBody(body, "application/json", detail) }),
    ...(detail.form && { requestBody: requestBody(detail.form, formType, detail) }),
    responses: sharedResponses({
      method,
      path,
      own: responses,
      takesInput: Boolean(body ?? query),
      isPaged: parameters.some(({ name }) => name === "cursor"),
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
