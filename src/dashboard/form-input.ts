import { z } from "zod";
import type { FieldError } from "../../views/components/forms/field-errors";
import { dayMs } from "../../db/lib/time";

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

/** Formats a moment for a datetime-local field in this time zone: "2026-11-21T18:41". */
export const localTime = (at: Date, timeZone: string): string =>
  at.toLocaleString("sv-SE", { ...parts, timeZone }).replace(" ", "T");

const parts = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" } as const;

/**
 * Parses a datetime-local field in this time zone; undefined if it is not a time. When the clock jumps, an hour that
 * does not exist means the one after it, and an hour that occurs twice means the first.
 */
export function momentOf(local: string, timeZone: string): Date | undefined {
  if (!/^[1-9]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(local)) return; // a year of fewer than four digits is a slip
  const asUtc = Date.parse(`${local}:00Z`);
  if (Number.isNaN(asUtc) || localTime(new Date(asUtc), "UTC") !== local) return; // 30 February would become 2 March
  const ahead = (at: number) => Date.parse(`${localTime(new Date(at), timeZone)}:00Z`) - at;
  const before = ahead(asUtc - dayMs);
  const after = ahead(asUtc + dayMs);
  const isShown = (offset: number) => localTime(new Date(asUtc - offset), timeZone) === local;
  return new Date(asUtc - ([before, after].find(isShown) ?? before));
}

/** Returns when each of the last `count` days began in that time zone, today's last: some have 23 hours, some 25. */
export function daysUntil(at: Date, count: number, timeZone: string): Date[] {
  const today = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone).startOfDay();
  return Array.from({ length: count }, (_, i) => {
    const start = today.subtract({ days: count - 1 - i }).startOfDay();
    return new Date(start.epochMilliseconds);
  });
}
