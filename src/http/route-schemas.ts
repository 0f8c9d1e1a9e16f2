import type { z } from "zod";

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
