import type { z } from "zod";
import type { FieldError } from "../../views/components/forms/field-errors";

export type Read<T> = { input: T; errors?: undefined } | { input?: undefined; errors: FieldError[] };

/** Returns the values of a form, or the first error of each field. */
export function readForm<T>(schema: z.ZodType<T>, body: unknown): Read<T> {
  const { data, error } = schema.safeParse(body ?? {});
  if (!error) return { input: data as T };
  const errors = new Map<string, string>();
  for (const { path, message } of error.issues) {
    const field = String(path[0] ?? "form");
    const isOfItem = typeof path[1] === "number"; // of a list in one field
    if (!errors.has(field)) errors.set(field, isOfItem ? `Each entry ${message}.` : message);
  }
  return { errors: [...errors].map(([field, message]) => ({ field, message })) };
}

const maxTyped = 2_000; // of what no schema has accepted

/** Returns a text field as it was typed, to show it again. */
export function typed(body: unknown, field: string): string {
  const value = typeof body === "object" && body !== null ? (body as Record<string, unknown>)[field] : undefined;
  return typeof value === "string" ? value.slice(0, maxTyped) : "";
}
