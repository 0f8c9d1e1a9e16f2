import { z } from "zod";
import { normalized } from "../../../db/lib/text";
import * as patterns from "./patterns";

const required = (issue: { input?: unknown }) => (issue.input === undefined ? "is required" : "must be a string");
const control = new RegExp(`[${patterns.control}]`);
const controlButLines = new RegExp(`[${patterns.controlButLines}]`, "g");

const inUnicode = z.string({ error: required }).transform((text) => text.toWellFormed().trim());

const ofLine = (length: Length) => ({ ...bounds(length), pattern: patterns.linePattern(length) });

/** One line of text that identifies something, such as an address or a file: nothing is removed from it. */
export const exactLine = (length: Length) =>
  normalizedWithin(inUnicode, length)
    .refine((text) => !control.test(text), "must not contain control characters or line breaks")
    .refine(...within(length))
    .meta(ofLine(length));

/**
 * One line of text (D8): trimmed, NFC, without control characters, its length counted in code points. Invisible
 * characters are removed.
 */
export const line = (length: Length) => exactLine(length).transform(visible(length)).meta(ofLine(length));

/** Text that is only compared, so nothing in it can do harm. */
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

/** Source text: kept as it is but for U+0000, which neither a page nor PostgreSQL can hold. */
export const source = ({ max }: { max: number }) =>
  z
    .string({ error: required })
    .max(2 * max, `must be at most ${max} characters long`) // UTF-16 units, before anything reads it
    .transform((text) => text.toWellFormed().replaceAll("\0", "\ufffd"))
    .refine(...within({ max }));

/** Source text from a text box, each line end of which a form sends as two characters. */
export const typedSource = ({ max }: { max: number }) =>
  z.preprocess(
    (text) => (typeof text === "string" ? text.slice(0, 4 * max + 2).replace(/\r\n?/g, "\n") : text),
    source({ max }),
  );

/** Joins lines into one, with a single space for the white space around each line end. */
export const joinedLines = (text: string): string =>
  text
    .split("\n")
    .map((one) => one.trim())
    .filter(Boolean)
    .join(" ");

/** A line from a field that may contain line breaks. */
export const oneLine = (length: Length) =>
  z.preprocess((text) => (typeof text === "string" ? joinedLines(text.slice(0, maxTyped)) : text), line(length));
const maxTyped = 5_000; // characters, before anything joins them

/*
 * Invisible characters that change how the text around them reads: those that turn the reading direction until another
 * ends it, word joiners, invisible operators, byte order marks and annotations. Those that scripts and emoji need stay:
 * LRM, RLM and ALM, the zero-width joiner, non-joiner and space, soft hyphens, variation selectors.
 */
const left = "\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb";
const invisible = new RegExp(`[${left}]`, "g");
/** These are removed too if nothing visible would be left. */
const unseen = /\p{Cf}/gu;
const isSeen = /[^\p{Cf}\p{Z}]/u;
const replacement = "\ufffd";

/** Removes invisible characters. If too little would be left, each becomes a replacement character instead. */
export const visible =
  ({ min = 0 }: Length) =>
  (text: string): string => {
    if (text.search(unseen) < 0) return text;
    const rest = normalized(text.replace(invisible, ""), "NFC").trim();
    return isSeen.test(rest) && characters(rest) >= min ? rest : text.replace(unseen, replacement);
  };

type Length = { min?: number; max: number };

/** Counts code points: characters as people understand them (D8). */
export function characters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

const said = ({ min = 0, max }: Length) =>
  min > 0 ? `must be ${min} to ${max} characters long` : `must be at most ${max} characters long`;

/** The most UTF-16 units that NFC can combine into one character. */
const unitsOfOne = 4;

/** The bounds as the API document states them; its patterns state them exactly. */
const bounds = ({ min, max }: Length) => ({
  ...(min && { minLength: min }),
  description: `${min ? `${min} to` : "At most"} ${max} characters, blanks at the ends not counted.`,
});

/** The most UTF-16 units of a text that its schema reads. */
export const mostUnits = z.registry<{ units: number }>();

/** Rejects what is too long in any form before it is normalised. */
function normalizedWithin(text: z.ZodType<string, string>, length: Length) {
  const most = unitsOfOne * length.max;
  return text
    .refine(({ length: units }) => units <= most, { error: said(length), abort: true })
    .register(mostUnits, { units: most })
    .transform((whole) => normalized(whole, "NFC").trim());
}

const within = ({ min = 0, max }: Length) =>
  [
    (text: string) =>
      text.length >= min && text.length <= 2 * max && characters(text) >= min && characters(text) <= max,
    { error: ({ input }: { input?: unknown }) => (min > 0 && input === "" ? "is required" : said({ min, max })) },
  ] as const;
