import { z } from "zod";
import type { JsonSchema } from "./responses";
import * as errors from "./error-schemas";
import { WebhookEvent } from "./event-schemas";
import * as files from "./file-schemas";
import * as content from "./schemas";
import * as uploads from "./upload-schemas";

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

/** Returns every named schema, by its `id`: those of responses and events, and these of request bodies. */
export const namedSchemas = (bodies: z.ZodType[]): Record<string, JsonSchema> =>
  (toJsonSchema(z.object({ ...content, ...errors, WebhookEvent, ...files, ...uploads, bodies: z.tuple(bodies as []) }))
    .$defs ?? {}) as Record<string, JsonSchema>;
