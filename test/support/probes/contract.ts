import Ajv, { type ValidateFunction } from "ajv/dist/2020";
import formats from "ajv-formats";
import type { OpenApi, Operation } from "../../../src/openapi/responses";

/** An operation of the document and where it is. */
export type Endpoint = { method: string; path: string; operation: Operation };

type Media = { schema?: object };
type Answer = { content?: Record<string, Media>; headers?: Record<string, unknown> };

export const endpointsOf = ({ paths }: OpenApi): Endpoint[] =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

/** What must never leave the service, in a header or a body: SQL, stacks, files, engines. */
const leaks =
  /SQLITE|drizzle|bun:sqlite|node_modules|\bat .+:\d+:\d+|\.tsx?:\d+|no such (table|column)|\b(select|insert into|delete from) [\w"* ,]+ (from|values|where)\b|ZodError|TypeError|constraint failed/i;

/**
 * Compares responses with the document, more strictly than it requires: fields that it does not name are not allowed.
 */
export function contract(document: OpenApi) {
  const ajv = new Ajv({ strict: false, allErrors: true });
  formats(ajv);
  const closed = JSON.parse(JSON.stringify(document), close) as OpenApi;
  ajv.addSchema({ $id: "document", ...closed });
  const compiled = new Map<string, ValidateFunction>();

  const validator = (pointer: string) => {
    const known = compiled.get(pointer) ?? ajv.compile({ $ref: `document#${pointer}` });
    compiled.set(pointer, known);
    return known;
  };

  /** Returns what is wrong with this response; nothing if it is as documented. */
  async function violations(
    { method, path, operation }: Endpoint,
    response: Response,
    isHead = false,
  ): Promise<string[]> {
    const where = `${isHead ? "HEAD" : method} ${path} ${response.status}`;
    const said = operation.responses[response.status];
    const text = await response.clone().text();
    const leaked = leaks.exec(path === "/openapi.json" || path.startsWith("/docs") ? "" : text);
    const problems = leaked ? [`${where} leaks ${leaked[0]}`] : [];
    if (!said) return [...problems, `${where} is not documented: ${text.slice(0, 200)}`];

    const pointer =
      "$ref" in said
        ? said.$ref.slice(1)
        : `/paths/${escaped(path)}/${method.toLowerCase()}/responses/${response.status}`;
    const { content = {}, headers = {} } = at(closed, pointer) as Answer;
    for (const name of Object.keys(headers))
      if (!response.headers.has(name) && !maybe.has(name)) problems.push(`${where} has no ${name}`);
    if (isHead) return text ? [...problems, `${where} has a body`] : problems;

    const type = response.headers.get("content-type")?.split(";")[0];
    const [expected] = Object.keys(content);
    if (!expected) return text ? [...problems, `${where} has a body`] : problems;
    if (type !== expected) return [...problems, `${where} is ${type}, not ${expected}`];
    if (type !== "application/json") return problems;
    const validate = validator(`${pointer}/content/${escaped(type)}/schema`);
    if (validate(JSON.parse(text))) return problems;
    return [...problems, `${where} ${ajv.errorsText(validate.errors)}: ${text.slice(0, 300)}`];
  }

  return { violations };
}

/** Present only under a condition that the document tells in words. */
const maybe = new Set(["Link", "Postroom-Next-Cursor", "Postroom-Visitor"]);

/** An object with named properties has no others. */
function close(_: string, value: unknown) {
  if (typeof value !== "object" || value === null || !("properties" in value) || !("type" in value)) return value;
  return { additionalProperties: false, ...value };
}

/** A step of a JSON pointer inside a URI fragment. */
const escaped = (step: string) => encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"));

function at(document: object, pointer: string): unknown {
  const steps = pointer.split("/").slice(1);
  return steps.reduce<unknown>((value, step) => {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    return (value as Record<string, unknown>)[key];
  }, document);
}
