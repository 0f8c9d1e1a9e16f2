import { z } from "zod";
import type { NewPost } from "../../db/posts/posts";
import { slugOf, splitNames } from "../../db/lib/text";
import { characters, joinedLines, line } from "../platform/text/schemas";
import { list } from "../http/request-schemas";
import { cover, withoutUndefined } from "./project-fields";

/** YAML turns an unquoted number into a number, so a title such as 1984 has to become text again. */
const text = (value: unknown) => (typeof value === "number" || typeof value === "boolean" ? String(value) : value);
/** In YAML, one line may be written as several. */
const inOneLine = (value: unknown) => (typeof value === "string" ? joinedLines(value) : text(value));
const optionalLine = (max: number) =>
  z.preprocess((value) => inOneLine(value ?? undefined), line({ max }).optional()).optional();
const time = z
  .preprocess(
    (value) => (typeof value === "string" ? parseTime(value) : (value ?? undefined)),
    z.date("must be a date such as 2026-03-14").optional(),
  )
  .optional();

/** The fields of D4. */
const FrontMatter = z.object({
  title: z.preprocess(text, line({ min: 1, max: 200 })),
  slug: optionalLine(100),
  excerpt: optionalLine(500),
  coverImage: z.preprocess((value) => value ?? undefined, cover.optional()).optional(),
  author: optionalLine(100),
  publishedAt: time,
  date: time,
  tags: z
    .preprocess(
      (value) => (typeof value === "string" ? splitNames(value) : (value ?? [])),
      list(z.preprocess(text, line({ min: 1, max: 50 })), 1_000, "must be a list"),
    )
    .default([]),
  published: z.boolean("must be true or false").optional(),
  draft: z.boolean("must be true or false").optional(),
});

const maxFrontMatterLength = 32_000; // UTF-16 units; all fields of D4 at their maximum take half of it
const maxBodyLength = 1_000_000; // characters, as in the editor

/**
 * Reads a post from a file: YAML between two lines of `---`, then the MDX source. Missing fields are derived: the slug
 * from the file name, the excerpt from the first paragraph; it is published unless the file says otherwise. A future
 * date schedules it (D22).
 *
 * @throws with a message for the author of the file
 */
export function readPost(source: string, name: string): NewPost {
  const { yaml, fields, content } = partsOf(source);
  const parsed = FrontMatter.safeParse(fields);
  if (!parsed.success)
    throw new Error(parsed.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("; "));

  const misread = misreadNumber(fields, yaml);
  if (misread) throw new Error(misread);

  const { slug = name, excerpt, publishedAt, date, published = true, draft = false, ...rest } = parsed.data;
  const address = slugOf(slug);
  if (!address) throw new Error("slug must contain a letter or digit");
  const at = publishedAt ?? date;
  return {
    ...withoutUndefined(rest),
    title: rest.title,
    slug: address,
    content: bodyOf(source, content),
    excerpt: excerpt ?? firstParagraph(content),
    published: published && !draft,
    ...(at && { publishedAt: at }),
  };
}

/** Splits a file into the fields of its front matter and the text below it. @throws for the author of the file */
export function partsOf(source: string): { yaml: string; fields: unknown; content: string } {
  const [, yaml, content = ""] =
    /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(source) ?? [];
  if (yaml === undefined) throw new Error("it does not start with front matter between two --- lines");
  if (yaml.length > maxFrontMatterLength) throw new Error("its front matter is longer than 32,000 characters");
  if (content.length > maxBodyLength && characters(content) > maxBodyLength)
    throw new Error("its text is longer than a million characters");
  const repeated = repeatedField(yaml);
  if (repeated) throw new Error(repeated);
  return { yaml, fields: fieldsOf(yaml), content };
}

/**
 * Returns the text of a file unchanged, without the blank line above it and the line end after it, which belong to the
 * file.
 */
export function bodyOf(source: string, text: string): string {
  const lineEnd = /^[^\n]*\r\n/.test(source) ? "\r\n" : "\n";
  const start = text.startsWith(lineEnd) ? lineEnd.length : 0;
  return text.slice(start, text.length > start && text.endsWith(lineEnd) ? -lineEnd.length : undefined);
}

function fieldsOf(yaml: string): unknown {
  try {
    return Bun.YAML.parse(yaml) ?? {};
  } catch (error) {
    throw new Error(`its front matter is not valid YAML (${error instanceof Error ? error.message : error})`);
  }
}

/**
 * The parser would take the last of two fields with one name. Everything that is not a field's own line is indented
 * further than the first field.
 */
function repeatedField(yaml: string): string | undefined {
  const lines = yaml.split(/\r?\n/);
  const indent = /^ */.exec(lines.find((line) => /^ *[^ #]/.test(line)) ?? "")?.[0] ?? "";
  const seen = new Map<string, number>();
  for (const [index, line] of lines.entries()) {
    const own = line.startsWith(indent) ? line.slice(indent.length) : "";
    const [, double, single, plain] = /^(?:"([^"]*)"|'([^']*)'|([^\s#"'][^:]*?)) *:(?= |\t|$)/.exec(own) ?? [];
    const name = double ?? single ?? plain;
    if (name === undefined) continue;
    const [before, here] = [seen.get(name), index + 2]; // below the line of ---
    if (before !== undefined) return `${name} is there twice, in lines ${before} and ${here}`;
    seen.set(name, here);
  }
  return undefined;
}

/** YAML would read an unquoted 1.10 or 007 as a different number: such values must be quoted. */
function misreadNumber(fields: unknown, yaml: string): string | undefined {
  const written = new Set(yaml.split(/[\s,[\]]+/));
  for (const [name, value] of Object.entries(fields as Record<string, unknown>))
    for (const one of [value].flat())
      if (worded.has(name) && typeof one === "number" && !written.has(String(one)))
        return `${name} would be read as the number ${one}: put it in quotes`;
  return undefined;
}
const worded = new Set(["title", "slug", "excerpt", "author", "tags"]);

const stamp =
  /^([1-9]\d{3})-(\d\d?)-(\d\d?)(?:(?:[Tt]|[ \t]+)(\d\d?):(\d\d)(?::(\d\d)(\.\d+)?)?[ \t]*(?:([Zz])|([+-])(\d\d?):?(\d\d)?)?)?$/;

/** Parses a date or time as YAML writes it. One without a zone is UTC, as in YAML, regardless of the server's zone. */
function parseTime(written: string): Date | string {
  const [, year, month, day, hour, minute = "00", second = "00", part = "", , sign = "+", ahead, and = "00"] =
    stamp.exec(written.trim()) ?? [];
  const two = (digits = "00") => digits.padStart(2, "0");
  const date = `${year}-${two(month)}-${two(day)}`;
  const midnight = new Date(`${date}T00:00Z`);
  const isDay = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date); // rejects 30 February
  const at = new Date(`${date}T${two(hour)}:${minute}:${second}${part.slice(0, 4)}${sign}${two(ahead)}:${and}`);
  return isDay && !Number.isNaN(at.getTime()) ? at : written;
}

/** Returns the first paragraph of prose (no heading, import, image, list, quote, code or component), cut at a word. */
function firstParagraph(content: string): string {
  const prose = content
    .replace(/```[\s\S]*?(```|$)/g, "")
    .split(/\r?\n\s*\r?\n/)
    .map((block) => block.trim())
    .find((block) => block && !/^([#>!<{|]|[-*+] |\d+\. |import |export |---)/.test(block));
  const plain = (prose ?? "")
    .slice(0, 2_000) // more than an excerpt needs: finding links takes quadratic time
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*_`]+/g, "")
    .replace(/\s+/g, " ");
  return plain.length <= 200 ? plain : `${plain.slice(0, 200).replace(/\s+\S*$/, "")}…`;
}
