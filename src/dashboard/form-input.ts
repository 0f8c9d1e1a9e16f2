import { z } from "zod";
import type { FieldError } from "../../views/components/forms/field-errors";

export type Read<T> = { input: T; errors?: undefined } | { input?: undefined; errors: FieldError[] };

/** Returns the values of a form, or the first error of each field. */
export function readForm<T>(schema: z.ZodType<T>, body: unknown): Read<T> {
  const { success, data, error } = schema.safeParse(body ?? {});
  if (success) return { input: data };
  const errors = new Map<string, string>();
  for (const { path, message } of error.issues) {
    const field = String(path[0] ?? "form");
    const isOfItem = typeof path[1] === "number"; // of a list in one field
    if (!errors.has(field)) errors.set(field, isOfItem ? `Each entry ${message}.` : message);
  }
  return { errors: [...errors].map(([field, message]) => ({ field, message })) };
}

const maxTyped = 2_000; // of what no schema has accepted

/** Returns the fields of a form as they were sent; none if the body is no form. */
export const sentFields = (body: unknown): Record<string, unknown> =>
  typeof body === "object" && body !== null ? { ...body } : {};

/** Returns a text field as it was typed, to show it again. */
export function typed(body: unknown, field: string): string {
  const value = sentFields(body)[field];
  return typeof value === "string" ? value.slice(0, maxTyped) : "";
}

/** Up to this many characters of a field in which nothing is an error; longer is empty. */
export const shortText = (max: number) => z.string().max(max).catch("").default("");

/** The answer to the question before something is published or sent: for when, and which warnings are fine. */
export const Confirmation = z.object({
  version: z.coerce.number().int().catch(0),
  day: shortText(100),
  time: shortText(100),
  zone: shortText(100),
  typed: shortText(100),
  fine: z
    .union([z.string(), z.array(z.string())])
    .default([])
    .catch([])
    .transform((codes) => [codes].flat().slice(0, 100)),
});

/** All fields of a form that has only texts; none if it has others. */
export const textFields = z.record(z.string(), z.string()).catch({});

/** What concerns more rows or people than this is confirmed by typing their number. */
export const maxUntyped = 100;

/** The number in a text such as "1,113"; 0 if there is none. */
export const numberIn = (text: string) => Number(text.replace(/\D/g, "") || "0");

/** Reads uploaded files completely. The pipeline has limited the size of the body. */
export const bytesOf = (files: File[]) =>
  Promise.all(files.map(async (file) => ({ name: file.name, bytes: Buffer.from(await file.arrayBuffer()) })));

/*
 * Someone else saved first: a form of short fields is merged here, field by field. One with a long text shows both
 * versions instead, on a page (`views/dashboard/posts/editor/conflict.tsx`).
 */

type Texts = Readonly<Record<string, string>>;

/**
 * Merges what was typed into what someone else saved since the form was opened: an untouched field gets their value,
 * and one that both changed is a conflict.
 *
 * @param was the fields when the form was opened; one that is missing counts as changed by both
 */
export function mergeFields({ mine, was, theirs }: Record<"mine" | "was" | "theirs", Texts>) {
  const foreign = Object.entries(theirs).filter(([field, value]) => value !== was[field] && value !== mine[field]);
  const isMine = ([field]: [string, string]) => mine[field] !== was[field];
  const conflicts = foreign.filter(isMine).map(([field, value]): FieldError => ({
    field,
    message: value
      ? `Someone else changed this to “${value}”. Save again to use your value.`
      : "Someone else emptied this field. Save again to use your value.",
  }));
  const untouched = foreign.filter((entry) => !isMine(entry));
  return { merged: { ...mine, ...Object.fromEntries(untouched) }, conflicts };
}

/** Hidden fields that say what a form was based on. */
export const basis = (fields: Texts): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [`was.${field}`, value]));

/** What a form was based on, of these fields; those that it does not say are left out. */
export const basisIn = (body: unknown, fields: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    fields
      .filter((field) => typeof body === "object" && body !== null && `was.${field}` in body)
      .map((field) => [field, typed(body, `was.${field}`)]),
  );
