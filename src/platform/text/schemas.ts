import { z } from "zod";
import { normalized } from "../../../db/lib/text";
import * as patterns from "./patterns";

const required = (issue: { input?: unknown }) => (issue.input === undefined ? "is required" : "must be a string");
const control = new RegExp(`[${patterns.control}]`);
const controlButLines = new RegExp(`[${patterns.controlButLines}]`, "g");

/*
 * `register` says the same as `meta`, which would copy the schema first. It is for schemas that are made on the spot.
 */

/** One line of text that identifies something, such as an address or a file: nothing is removed from it. */
export const exactLine = (length: Length) =>
  checkedText(length, { isLine: true }).register(z.globalRegistry, ofLine(length));

/**
 * One line of text (D8): trimmed, NFC, without control characters, its length counted in code points. Invisible
 * characters are removed.
 */
export const line = (length: Length) =>
  checkedText(length, { isLine: true, finish: visible(length) }).register(z.globalRegistry, ofLine(length));

const ofLine = (length: Length) => ({ ...bounds(length), pattern: patterns.linePattern(length) });

/** Text that is only compared, so nothing in it can do harm. */
export const term = (length: Length) => checkedText(length, {}).register(z.globalRegistry, { maxLength: length.max });

/** Text of several lines (D8): keeps line feeds and tabs, drops other control characters. */
export const lines = ({ min = 0, max }: Length) =>
  checkedText({ min, max }, { prepare: withLineFeeds }).register(z.globalRegistry, {
    ...bounds({ min, max }),
    ...(min > 1 && { pattern: patterns.linesPattern({ min, max }) }),
  });

const withLineFeeds = (text: string) => text.replace(/\r\n?/g, "\n").replace(controlButLines, "").trim();

type Steps = { isLine?: boolean; prepare?: (text: string) => string; finish?: (text: string) => string };

/**
 * A text that is cleaned and checked in one step. In a chain of refinements each would be a schema of its own, and a
 * start made five hundred of them. What is too long in any form is rejected before it is normalised.
 *
 * @param steps what is done to it before and after it is checked; and whether it is one line
 */
function checkedText(length: Length, { isLine = false, prepare = (text) => text, finish }: Steps) {
  const units = unitsOfOne * length.max;
  return z
    .string({ error: required })
    .register(mostUnits, { units })
    .transform((typed, context) => {
      const whole = prepare(typed.toWellFormed().trim());
      if (whole.length > units) {
        context.addIssue({ code: "custom", message: said(length) });
        return z.NEVER;
      }
      const text = normalized(whole, "NFC").trim();
      const problems = [...(isLine && control.test(text) ? [controlProblem] : []), ...lengthProblems(text, length)];
      // The rules that a caller adds to a text that is not finished are asked too, so that one answer names all problems
      for (const message of problems) context.addIssue({ code: "custom", message, continue: !finish });
      return finish && !problems.length ? finish(text) : text;
    });
}

const controlProblem = "must not contain control characters or line breaks";

function lengthProblems(text: string, { min = 0, max }: Length): string[] {
  if (isWithin(text, { min, max })) return [];
  return [min > 0 && text === "" ? "is required" : said({ min, max })];
}

/** Source text: kept as it is but for U+0000, which neither a page nor PostgreSQL can hold. */
export const source = ({ max }: { max: number }) =>
  z
    .string({ error: required })
    .max(2 * max, `must be at most ${max} characters long`) // UTF-16 units, before anything reads it
    .transform((text) => text.toWellFormed().replaceAll("\0", "\ufffd"))
    .refine((text) => isWithin(text, { max }), said({ max }));

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

const isWithin = (text: string, { min = 0, max }: Length) =>
  text.length >= min && text.length <= 2 * max && characters(text) >= min && characters(text) <= max;
