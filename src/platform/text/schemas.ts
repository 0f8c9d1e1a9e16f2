import { z } from "zod";
import * as patterns from "./patterns";
import { visible } from "./invisible";
import { bounds, type Length, normalizedWithin, within } from "./bounds";

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

/** Joins lines into one, with a single space for the white space around each line end. */
export const joinedLines = (text: string): string =>
  text
    .split("\n")
    .map((one) => one.trim())
    .filter(Boolean)
    .join(" ");
