import { typeOf } from "./json-schema";
import type { JsonSchema } from "./responses";

/** Returns an example value that fits the schema. `named` are the schemas of the document. */
export function example(schema: JsonSchema, named: Record<string, JsonSchema>): unknown {
  if (schema.$ref) return example(named[schema.$ref.split("/").at(-1) ?? ""] ?? {}, named);
  if (schema.examples?.length) return schema.examples[0];
  if ("const" in schema) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum?.length) return schema.enum[0];
  const alternative = (schema.anyOf ?? schema.oneOf)?.[0];
  if (alternative) return example(alternative as JsonSchema, named);
  if (typeOf(schema) === "array") return [example((schema.items ?? {}) as JsonSchema, named)];
  if (schema.type === "object")
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([name, of]) => [name, example(of as JsonSchema, named)]),
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
