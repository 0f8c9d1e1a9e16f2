import { z } from "zod";

/**
 * For the `meta` of a schema: clients that are generated from the document have the type of this named schema, whose
 * rules are none or the same. Its own rules stand beside the reference.
 */
export const typedAs = (name: "Texts" | "NameChanges") => ({
  $ref: `#/$defs/${name}`,
});

/** A list of at most `max` items. A longer one is rejected before any item is examined. */
export function list<T extends z.ZodType>(item: T, max: number, error: string) {
  const message = `must have at most ${max} entries`;
  return z.preprocess(
    (value, context) => {
      if (!Array.isArray(value) || value.length <= max) return value;
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    },
    z.array(item, error).max(max, message),
  );
}

/** Optional means absent, null or blank. */
export const optional = <T extends z.ZodType<string, string>>(schema: T) =>
  z
    .preprocess(
      (value) => (value === null || (typeof value === "string" && !value.trim()) ? undefined : value),
      schema.optional(),
    )
    .optional()
    .register(z.globalRegistry, { type: ["string", "null"] });

/** Absent, or null (D8): blank text is not, unlike with `optional`. @param type of the value, in JSON Schema */
export const nullAsAbsent = <T>(schema: z.ZodType<T>, type: "integer" | "array" | "boolean" | "string") =>
  z
    .preprocess((value) => value ?? undefined, schema.optional())
    .optional()
    .register(z.globalRegistry, { type: [type, "null"] });

/** The same for a schema that has a name in the document, which refers to it. */
export const namedOrAbsent = <T extends z.ZodType>(schema: T) =>
  schema.nullish().transform((value) => value ?? undefined);

/** An integer in a query string. "1e1", "0x10" and " 5" are not. */
const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be a whole number from ${min} to ${max}`)
    .meta({ type: "integer", minimum: min, maximum: max });

/** How many items a page of a list has: 1 to 100. @param absent how many if the query does not say */
export const pageSize = (absent: number) =>
  integer(1, 100).default(absent).meta({ default: absent, description: "Items per page." });

type Schemas = { body?: z.ZodType; query?: z.ZodType; params?: z.ZodType; headers?: z.ZodType };
type Schema = z.ZodType["~standard"];

/**
 * The number of errors reported for an invalid request, so that a list of ten thousand items does not yield ten
 * thousand.
 */
const maxFaults = 20;

/**
 * Thrown when a request violates its route's schema, in place of Elysia's ValidationError. That one contains everything
 * that was sent, indented unless NODE_ENV is "production", so that 65 KB of brackets became 3 GB.
 */
class InvalidRequest extends Error {
  readonly code = "VALIDATION";

  constructor(readonly all: readonly unknown[]) {
    super("The request does not fit the schema of its route");
  }
}

/** Makes the schemas of these routes throw it themselves. */
export function keepErrorsSmall<Area extends { routes: { hooks?: unknown }[] }>(area: Area): Area {
  for (const { hooks } of area.routes) {
    const { body, query, params, headers } = (hooks ?? {}) as Schemas;
    for (const schema of [body, query, params, headers]) if (schema) throwInsteadOfReturning(schema);
  }
  return area;
}

const adapted = new WeakSet<z.ZodType>();

function throwInsteadOfReturning(schema: z.ZodType): void {
  if (adapted.has(schema)) return;
  adapted.add(schema);
  const standard = schema["~standard"]; // called by Elysia, and nothing else
  const validate: Schema["validate"] = (value) => {
    const result = standard.validate(value);
    if (result instanceof Promise) throw new Error("Schemas of routes must be synchronous");
    if (result.issues) throw new InvalidRequest(result.issues.slice(0, maxFaults));
    return result;
  };
  schema["~standard"] = { ...standard, validate };
}
