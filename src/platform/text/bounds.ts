import { z } from "zod";
import { normalized } from "../../../db/lib/text";

export type Length = { min?: number; max: number };

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
export const bounds = ({ min, max }: Length) => ({
  ...(min && { minLength: min }),
  description: `${min ? `${min} to` : "At most"} ${max} characters, blanks at the ends not counted.`,
});

/** The most UTF-16 units of a text that its schema reads. */
export const mostUnits = z.registry<{ units: number }>();

/** Rejects what is too long in any form before it is normalised. */
export function normalizedWithin(text: z.ZodType<string, string>, length: Length) {
  const most = unitsOfOne * length.max;
  return text
    .refine(({ length: units }) => units <= most, { error: said(length), abort: true })
    .register(mostUnits, { units: most })
    .transform((whole) => normalized(whole, "NFC").trim());
}

export const within = ({ min = 0, max }: Length) =>
  [
    (text: string) =>
      text.length >= min && text.length <= 2 * max && characters(text) >= min && characters(text) <= max,
    { error: ({ input }: { input?: unknown }) => (min > 0 && input === "" ? "is required" : said({ min, max })) },
  ] as const;
