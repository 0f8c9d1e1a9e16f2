import type { JsonSchema } from "./responses";
import { typeOf } from "./json-schema";
import type { Parameter } from "./types";

/** Nothing that can be requested has a longer name; the whole request line must fit into 16 KiB. */
const maxSegmentLength = 500;

export const inPath = (name: string): Parameter => ({
  name,
  in: "path",
  required: true,
  schema: { type: "string", maxLength: maxSegmentLength },
});

export function inQuery({ properties = {}, required = [] }: JsonSchema): Parameter[] {
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = property as JsonSchema;
    const type = typeOf(schema);
    if (type) schema.type = type; // there is no null in a query
    if (type === "integer") delete schema.pattern; // sent as text, but a number for everyone else
    if (String(schema.enum) === "true,false") {
      schema.type = "boolean"; // the same
      delete schema.enum;
    }
    return { name, in: "query", required: required.includes(name), ...(description && { description }), schema };
  });
}
