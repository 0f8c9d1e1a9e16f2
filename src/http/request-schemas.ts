import { z } from "zod";
import { normalized } from "../../db/lib/normalize";
import * as patterns from "./text-patterns";

type Length = { min?: number; max: number };

const required = (issue: { input?: unknown }) => (issue.input === undefined ? "is required" : "must be a string");
const control = new RegExp(`[${patterns.control}]`);
const controlButLines = new RegExp(`[${patterns.controlButLines}]`, "g");

const inUnicode = z.string({ error: required }).transform((text) => text.toWellFormed().trim());

/** Characters as people count them (D8): code points. */
export function characters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

const said = ({ min = 0, max }: Length) =>
  min > 0 ? `must be ${min} to ${max} characters long` : `must be at most ${max} characters long`;

/** UTF-16 units that NFC can make one character of, at the most. */
const unitsOfOne = 4;

/** As the document says it; its patterns say it exactly. */
const bounds = ({ min, max }: Length) => ({
  ...(min && { minLength: min }),
  description: `${min ? `${min} to` : "At most"} ${max} characters, blanks at the ends not counted.`,
});

/** What is too long for any form is refused before it is brought into one (P65). */
const normalizedWithin = (text: z.ZodType<string, string>, length: Length) =>
  text
    .refine(({ length: units }) => units <= unitsOfOne * length.max, { error: said(length), abort: true })
    .transform((whole) => normalized(whole, "NFC").trim());

const within = ({ min = 0, max }: Length) =>
  [
    (text: string) =>
      text.length >= min && text.length <= 2 * max && characters(text) >= min && characters(text) <= max,
    { error: ({ input }: { input?: unknown }) => (min > 0 && input === "" ? "is required" : said({ min, max })) },
  ] as const;

/** One line of text (D8): trimmed, NFC, without control characters, its length counted in code points. */
export const line = (length: Length) =>
  normalizedWithin(inUnicode, length)
    .refine((text) => !control.test(text), "must not contain control characters or line breaks")
    .refine(...within(length))
    .meta({ ...bounds(length), pattern: patterns.linePattern(length) });

/** Text that is only compared with, so that nothing in it can do harm. */
export const term = (length: Length) =>
  normalizedWithin(inUnicode, length)
    .refine(...within(length))
    .meta({ maxLength: length.max });

/** Text of several lines (D8): keeps line feeds and tabs, drops other control characters. */
export const lines = ({ min = 0, max }: Length) =>
  normalizedWithin(
    inUnicode.transform((text) => text.replace(/\r\n?/g, "\n").replace(controlButLines, "").trim()),
    { min, max },
  )
    .refine(...within({ min, max }))
    .meta({ ...bounds({ min, max }), ...(min > 1 && { pattern: patterns.linesPattern({ min, max }) }) });

/** Several lines as one, the blanks around their ends as one. */
export const joinedLines = (text: string): string =>
  text
    .split("\n")
    .map((one) => one.trim())
    .filter(Boolean)
    .join(" ");

/** A list of at most `max` items. What is longer is refused before any item is looked at (P67). */
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

/** Optional means: absent, null, or nothing but blanks. */
export const optional = <T extends z.ZodType<string, string>>(schema: T) =>
  z
    .preprocess(
      (value) => (value === null || (typeof value === "string" && !value.trim()) ? undefined : value),
      schema.optional(),
    )
    .optional()
    .meta({ type: ["string", "null"] });

/** An integer in a query string. "1e1", "0x10" and " 5" are not. */
export const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be a whole number from ${min} to ${max}`)
    .meta({ type: "integer", minimum: min, maximum: max });
