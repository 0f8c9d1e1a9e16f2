import { z } from "zod";
import type { JsonSchema } from "./responses";
import * as files from "./file-schemas";
import * as content from "./schemas";
import * as uploads from "./upload-schemas";

/** Returns Draft 2020-12 from the caller's view; named schemas are under `$defs`. */
export const toJsonSchema = (schema: z.ZodType): JsonSchema => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return rest;
};

/** The type of a value that is present: an optional field may also be null. */
export const typeOf = ({ type }: JsonSchema) => (Array.isArray(type) ? type.find((one) => one !== "null") : type);

/** Returns every named schema, by its `id`. */
export const namedSchemas = () => toJsonSchema(z.object({ ...content, ...files, ...uploads })).$defs;
