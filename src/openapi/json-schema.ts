import { z } from "zod";
import type { JsonSchema } from "./responses";
import * as files from "./file-schemas";
import * as content from "./schemas";
import * as uploads from "./upload-schemas";

/** Draft 2020-12, as a caller sees it; named schemas are under `$defs`. */
export const toJsonSchema = (schema: z.ZodType): JsonSchema => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return rest;
};

/** The type of a value that is there: an optional field may be null too. */
export const typeOf = ({ type }: JsonSchema) => (Array.isArray(type) ? type.find((one) => one !== "null") : type);

/** Every schema with a name, which is its `id`. */
export const namedSchemas = () => toJsonSchema(z.object({ ...content, ...files, ...uploads })).$defs;
