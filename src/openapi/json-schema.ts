import { z } from "zod";
import { type JsonSchema, type OpenApi, type Operation, type ResponseObject, schemaIn } from "./responses";
import * as files from "./file-schemas";
import * as schemas from "./schemas";

/** Returns Draft 2020-12 from the caller's view; named schemas are under `$defs`. */
export const toJsonSchema = (schema: z.ZodType): JsonSchema => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    override({ zodSchema, jsonSchema }) {
      const absent = z.globalRegistry.get(zodSchema)?.default; // zod drops it from a schema that transforms
      if (absent !== undefined) jsonSchema.default = absent as string | number;
    },
  });
  return rest;
};

/** The name of a schema in the document, if it has one. */
export const nameOf = (schema: z.ZodType): string | undefined => z.globalRegistry.get(schema)?.id;

/** The type of a value that is present: an optional field may also be null. */
export const typeOf = ({ type }: JsonSchema) => (Array.isArray(type) ? type.find((one) => one !== "null") : type);

/** Returns every named schema, by its `id`: those of responses, and these of request bodies. */
export const namedSchemas = (bodies: z.ZodType[]): Record<string, JsonSchema> =>
  (toJsonSchema(z.object({ ...schemas, ...files, bodies: z.object(Object.fromEntries(bodies.entries())) })).$defs ??
    {}) as Record<string, JsonSchema>;

/** The named schema that this one refers to, and its own rules, which stand beside the reference. */
export function withNamed({ $ref, ...own }: JsonSchema, named: Record<string, JsonSchema>): JsonSchema {
  return $ref === undefined ? own : { ...named[$ref.split("/").at(-1) ?? ""], ...own };
}

/** Returns an example value that fits the schema. `named` are the schemas of the document. */
export function example(schema: JsonSchema, named: Record<string, JsonSchema>): unknown {
  if (schema.$ref) return example(withNamed(schema, named), named);
  if (schema.examples?.length) return schema.examples[0];
  if ("const" in schema) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum?.length) return schema.enum[0];
  const alternative = (schema.anyOf ?? schema.oneOf)?.[0];
  if (alternative) return example(schemaIn(alternative), named);
  if (typeOf(schema) === "array") return [example(schemaIn(schema.items ?? {}), named)];
  if (schema.type === "object")
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([name, of]) => [name, example(schemaIn(of), named)]),
    );
  return plain(schema);
}

function plain(schema: JsonSchema): unknown {
  const { minimum } = schema;
  const type = typeOf(schema);
  if (type === "null") return null;
  if (type === "boolean") return false;
  if (type === "integer" || type === "number") return minimum ?? 0;
  return "text";
}

/** For responses that do not repeat them. */
const elsewhere: Record<string, string> = {
  id: "019aa6a0-8f6e-7c31-b2a4-5d0e9b7c1f02",
  slug: "stillwater",
  page: "errors",
};

/** Values of a path for an example: the names that the example of its response has. */
export function pathValues(document: OpenApi, { parameters, responses }: Operation): Record<string, string> {
  const [, success] = Object.entries(responses).find(([code]) => code.startsWith("2")) ?? [];
  const answer = JSON.stringify(success && "content" in success ? exampleOf(document, success) : {});
  const path = parameters.flatMap(({ name, in: place }) => {
    const [, value = elsewhere[name] ?? name] = new RegExp(`"${name}":"([^"]+)"`).exec(answer) ?? [];
    return place === "path" ? [[name, value]] : [];
  });
  return Object.fromEntries(path);
}

/** The JSON that a response has as its example. */
export function exampleOf({ components }: OpenApi, { content }: Exclude<ResponseObject, { $ref: string }>): unknown {
  const media = content?.["application/json"];
  return media && (media.example ?? example(media.schema as JsonSchema, components.schemas));
}
