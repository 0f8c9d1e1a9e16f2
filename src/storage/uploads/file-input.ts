import { z } from "zod";
import { metadataLimits, metadataProblem } from "../../../db/storage/files";
import { list, nullAsAbsent, typedAs } from "../../http/request-schemas";
import { control, controlButLines, folderPattern, namePattern, trimmed } from "../../platform/text/patterns";
import { exactLine, joinedLines, lines } from "../../platform/text/schemas";
import { meansFull } from "../s3/errors";

/* The rules for names of files and folders, wherever they come from (D34). */

export const maxFileBytes = 5 * 2 ** 40; // 5 TiB
const bytes = (text: string) => Buffer.byteLength(text);
/** Marks that reverse text: they would make a name look like a different one. */
const turning = "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069";
const bidi = new RegExp(`[${turning}]`);

const text = z
  .string({ error: ({ input }) => (input === undefined ? "is required" : "must be a string") })
  .refine((value) => value.isWellFormed(), "must be valid Unicode")
  .refine((value) => !bidi.test(value), "must not contain bidirectional control characters");

/** A single name, which no system could read as a path. */
export const Filename = text
  .pipe(exactLine({ min: 1, max: 255 }))
  .refine((name) => bytes(name) <= 255, "must be at most 255 bytes long")
  .refine((name) => !/[/\\]/.test(name), "must not contain / or \\")
  .refine((name) => name !== "." && name !== "..", "must be a valid file name")
  .meta({ minLength: 1, pattern: namePattern(255, `${control}${turning}/\\\\`), description: "At most 255 bytes." });

const typeName = "[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}";
const typeValue = '(?:[A-Za-z0-9!#$%&\'*+.^_`|~-]+|"[ -!#-\\[\\]-~]*")';
/** RFC 6838, section 4.2, with parameters. It becomes a header in the node's responses. */
const mimeType = `${typeName}/${typeName}(?: *; *${typeName}=${typeValue})*`;
const isMimeType = new RegExp(`^${mimeType}$`);

export const MimeType = text
  .pipe(exactLine({ min: 3, max: 255 }))
  .pipe(z.string().regex(isMimeType, "must be a MIME type such as image/png"))
  .meta({ examples: ["image/png"], minLength: 3, pattern: trimmed(mimeType, 255) });

/** In bytes. */
export const Size = z
  .number({ error: ({ input }) => (input === undefined ? "is required" : "must be a number") })
  .refine(
    (size) => Number.isInteger(size) && size >= 0 && size <= maxFileBytes,
    `must be a whole number from 0 to ${maxFileBytes}`,
  )
  .meta({ type: "integer", minimum: 0, maximum: maxFileBytes });

/** The header Content-MD5 (RFC 1864): 16 bytes in Base64. */
export const ContentMd5 = z
  .string("must be a string")
  .regex(/^[A-Za-z0-9+/]{21}[AQgw]==$/, "must be an MD5 in Base64")
  .meta({
    description:
      "The MD5 of the file in Base64, for a single PUT: the URL then accepts no other bytes. The response has the header to send in `headers`.",
    examples: ["XUFAKrxLKna5cZ2REBfFkg=="],
  });

/** A folder path, normalised: "a/b", or "" for the root. */
export const FolderPath = z
  .preprocess(
    (value) => value ?? "",
    text
      .pipe(exactLine({ max: 1024 }))
      .transform((path) =>
        path
          .split("/")
          .map((name) => name.trim())
          .filter((name) => name && name !== "."),
      )
      .refine((names) => names.length <= 32, "must have at most 32 folders")
      .refine(
        (names) => names.every((name) => bytes(name) <= 255),
        "must not contain a folder name longer than 255 bytes",
      )
      .refine((names) => !names.some((name) => name === ".." || name.includes("\\")), "must not contain .. or \\")
      .transform((names) => names.join("/"))
      .refine((path) => bytes(path) <= 1024, "must be at most 1024 bytes long"),
  )
  .meta({
    type: ["string", "null"],
    pattern: folderPattern(1_024, `${control}${turning}\\\\`),
    description: "At most 1,024 bytes, in at most 32 folders.",
  });

const metadataName = /^[a-z0-9][a-z0-9_-]{0,39}$/; // "__proto__" is none
const controlInValue = /[^\P{Cc}\t\n]/u;
const { entries: maxEntries, value: maxValue, bytes: maxMetadataBytes } = metadataLimits;
const metadataValue = z
  .string("must be a string")
  .refine((value) => value.isWellFormed(), "must be valid Unicode")
  .refine((value) => !controlInValue.test(value), "must not contain control characters")
  .refine((value) => [...value].length <= maxValue, `must be at most ${maxValue} characters long`)
  .meta({ maxLength: maxValue, pattern: `^[^${controlButLines}]*$` });

/** Names and values. Their number and the names are checked before any value is examined. */
const entriesOf = <T extends z.ZodType>(value: T, max: number) =>
  z
    .preprocess(
      (data, context) => {
        const names = typeof data === "object" && data !== null && !Array.isArray(data) ? Object.keys(data) : [];
        const isValid = names.length <= max && names.every((name) => metadataName.test(name));
        if (isValid) return data;
        const rule = "must have names of 1 to 40 characters: a–z, 0–9, _ and -, a letter or digit first";
        context.addIssue({ code: "custom", message: names.length > max ? `must have at most ${max} entries` : rule });
        return z.NEVER;
      },
      z.record(z.string().regex(metadataName), value, "must be an object"),
    )
    .meta({ maxProperties: max });

/** What a client keeps with a file: names and values of its own. */
export const Metadata = entriesOf(metadataValue, maxEntries)
  .superRefine((metadata, context) => {
    const message = metadataProblem(metadata);
    if (message) context.addIssue({ code: "custom", message });
  })
  .meta({
    ...typedAs("Texts"),
    description: `Names and values of your own: at most ${maxEntries}, and ${maxMetadataBytes} bytes of UTF-8 in all. A name has 1 to 40 of a–z, 0–9, _ and -, a letter or digit first.`,
    examples: [{ "taken-by": "Ada Ferris", licence: "CC BY 4.0" }],
  });

/** Changes to it: a whole set can be exchanged for another one. */
export const MetadataChanges = entriesOf(metadataValue.nullable(), 2 * maxEntries).meta({
  id: "MetadataChanges",
  description: "Values by name; null removes one. Names that are left out stay.",
  examples: [{ licence: "CC0", "taken-by": null }],
});

const percent = (description: string, example: number) =>
  z
    .int()
    .min(0)
    .max(100)
    .meta({ description, examples: [example] });

export const FocalPoint = z.object({ x: percent("From the left.", 50), y: percent("From the top.", 30) }).meta({
  id: "FocalPoint",
  description: "The point of a picture that stays in view where it is cropped, in percent.",
});

/** Alternative text of a picture, in one line. */
export const AlternativeText = lines({ max: 1_000 }).transform(joinedLines);

export const maxWantedParts = 100; // by number, and URLs in one response
const partNumber = z.int("must be a whole number").min(1, "must be at least 1").max(10_000, "must be at most 10000");

const absent = (name: string) => ({ properties: { [name]: { type: "null" as const } } });

/** The parts that a client wants URLs for: a range, or a list of numbers. */
export const WantedParts = z
  .object({
    from: nullAsAbsent(partNumber, "integer"),
    to: nullAsAbsent(partNumber, "integer"),
    numbers: nullAsAbsent(list(partNumber, maxWantedParts, "must be a list of numbers"), "array"),
  })
  .refine(({ from, to, numbers }) => !numbers || (from === undefined && to === undefined), {
    path: ["numbers"],
    message: "cannot be combined with from or to",
  })
  .meta({ id: "PartSelection", anyOf: [absent("numbers"), { allOf: [absent("from"), absent("to")] }] });

/** Returns a filter for those parts. */
export const wantedFilter = ({ from = 1, to, numbers }: z.infer<typeof WantedParts>) => {
  if (numbers) return (part: number) => numbers.includes(part);
  return (part: number) => part >= from && part <= (to ?? Infinity);
};

/** Formats ascending numbers as ranges: 3, 5, 6, 7 become "3" and "5-7". */
export function ranges(numbers: number[]): string[] {
  const starts = numbers.filter((n, i) => n - 1 !== numbers[i - 1]);
  const ends = numbers.filter((n, i) => n + 1 !== numbers[i + 1]);
  return starts.map((start, i) => (start === ends[i] ? String(start) : `${start}-${ends[i]}`));
}

/** What a client reports about a PUT that its node rejected. */
export const FailedPut = z
  .object({
    status: z
      .int("must be a whole number")
      .min(0, "must be 0 or more")
      .max(599, "must be 599 or less")
      .meta({ description: "Of the storage's answer; 0 when there was none." }),
    code: z
      .string("must be a string")
      .max(64, "must be at most 64 characters long")
      .regex(/^\w*$/, "must be one word")
      .nullish()
      .transform((value) => value ?? undefined)
      .meta({ type: ["string", "null"], description: "What its XML calls the error, in `Code`." }),
  })
  .meta({ id: "StorageFailure" });

export type FailedPut = z.infer<typeof FailedPut>;

/** Whether the node said that it has no space. */
export const saysFull = ({ status, code = "" }: FailedPut): boolean => status === 507 || meansFull(code);

/**
 * Whether the node may have no space. A disk that runs out of space during a write is an internal error to MinIO. Other
 * reasons say nothing about space: the URL may have expired, or the network failed.
 */
export const mayBeFull = (put: FailedPut): boolean => put.status === 500 || saysFull(put);
