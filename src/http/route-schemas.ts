import type { z } from "zod";

type Schemas = { body?: z.ZodType; query?: z.ZodType; params?: z.ZodType; headers?: z.ZodType };
type Schema = z.ZodType["~standard"];

/** What is reported of an invalid request: its faults, each with its place, not one for each of ten thousand items. */
const maxFaults = 20;

/**
 * A request that its route's schema refuses. Areas see it as they see Elysia's ValidationError, in whose place it is
 * thrown: that one writes all that was sent into its message, indented unless NODE_ENV is "production", so that 65 KB
 * of brackets became 3 GB (P64).
 */
class InvalidRequest extends Error {
  readonly code = "VALIDATION";
  readonly status = 400;

  constructor(readonly all: readonly unknown[]) {
    super("The request does not fit the schema of its route");
  }
}

/** Makes the schemas of these routes throw what Elysia would otherwise write an error about. */
export function keepErrorsSmall<Area extends { routes: { hooks?: unknown }[] }>(area: Area): Area {
  for (const { hooks } of area.routes) {
    const { body, query, params, headers } = (hooks ?? {}) as Schemas;
    for (const schema of [body, query, params, headers]) if (schema) throwInsteadOfReturning(schema);
  }
  return area;
}

const known = new WeakSet<z.ZodType>();

function throwInsteadOfReturning(schema: z.ZodType): void {
  if (known.has(schema)) return;
  known.add(schema);
  const standard = schema["~standard"]; // what Elysia asks, and nobody else
  const validate: Schema["validate"] = (value) => {
    const result = standard.validate(value);
    if (result instanceof Promise) throw new Error("Schemas of routes must be synchronous");
    if (result.issues) throw new InvalidRequest(result.issues.slice(0, maxFaults));
    return result;
  };
  schema["~standard"] = { ...standard, validate };
}
