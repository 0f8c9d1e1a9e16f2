import { isTimeZone } from "../../../db/lib/time";
import { z } from "zod";
import { slugOf, splitNames } from "../../../db/lib/text";
import type { PostFields, TaggedPost } from "../../../db/posts/rows";
import { type DraftContent, fieldsOf } from "../../../db/posts/revisions";
import { withStoredLines } from "../../content/stored-lines";
import { inputsOf } from "../../fields/field";
import { exactLine, line, oneLine, source } from "../../platform/text/schemas";
import { localTime, momentOf, type Read, readForm, sentFields } from "../form-input";
import { unknownZone } from "../preferences";

const names = ["title", "slug", "excerpt", "coverImage", "tags", "author", "publishedAt", "zone"] as const;
const maxBodyLength = 1_000_000; // of the text
const maxFieldLength = 5_000;

/** The version that was edited: anything saved after it must not be overwritten. */
export const Begun = z.object({ version: z.coerce.number().int().min(0).catch(0) });

/** Reads the form as it was typed, without validation: autosave keeps it, and a conflict must not lose it. */
export function typedIn(body: unknown): DraftContent {
  const sent = sentFields(body);
  const text = (name: string, maxLength: number) =>
    typeof sent[name] === "string" ? sent[name].slice(0, maxLength) : "";
  const fields = Object.fromEntries(names.map((name) => [name, text(name, maxFieldLength)]));
  return { fields, content: text("content", 2 * maxBodyLength).replace(/\r\n?/g, "\n") };
}

/** A post as its form shows it, with the time in the manager's zone. */
export function typedOf(post: TaggedPost, timeZone: string): DraftContent {
  const { published: _, ...fields } = fieldsOf(post, post.tags);
  const publishedAt = post.publishedAt ? localTime(post.publishedAt, timeZone) : "";
  return { fields: { ...fields, publishedAt, zone: timeZone }, content: post.content };
}

const isCover = (address: string) =>
  address === "" || /^\/(?![/\\])\S*$/.test(address) || (/^https?:\/\/\S+$/.test(address) && URL.canParse(address));

const PostForm = z.object({
  title: oneLine({ min: 1, max: 200 }),
  slug: line({ max: 100 }).refine((slug) => slug === "" || slugOf(slug) !== "", "Use letters or digits in the slug."),
  excerpt: oneLine({ max: 500 }),
  coverImage: exactLine({ max: 2_000 }).refine(isCover, "Enter a path starting with / or an http(s) URL."),
  author: line({ max: 100 }),
  tags: z
    .string()
    .transform(splitNames)
    .pipe(z.array(line({ max: 50 })).max(30, "Use at most 30 tags."))
    .refine((tags) => tags.every((name) => slugOf(name)), "Each tag must contain a letter or digit."),
  publishedAt: z.string(),
  content: source({ max: maxBodyLength }),
});

export const inputs = inputsOf(PostForm);

const noTime = "Enter a date and time, such as 2026-03-14 09:00.";

/** Returns null if there is no time; undefined if it is not one, or in an unknown zone. */
function momentIn(typed: string, zone: string, before: Date | null | undefined): Date | null | undefined {
  if (typed === "") return null;
  if (!isTimeZone(zone)) return undefined;
  return before && localTime(before, zone) === typed ? before : momentOf(typed, zone);
}

/** Fields to which an import may have given values that no one could type: long or odd, but right for the site. */
const importedFields = ["slug", "coverImage", "tags"] as const;

/**
 * Returns the values of the form, or what has to be corrected. Times are in the zone that the form was shown in.
 * Untouched fields keep exactly what they had: a time its seconds, each line of the text its bytes, and whatever an
 * import brought.
 */
export function readPostForm(
  { fields, content }: DraftContent,
  before: TaggedPost | undefined,
): Read<Omit<PostFields, "published">> {
  const fieldsBefore = before && fieldsOf(before, before.tags);
  const kept = importedFields.filter((name) => fieldsBefore && fieldsBefore[name] === fields[name]);
  const blank = Object.fromEntries(kept.map((name) => [name, ""]));
  const read = readForm(PostForm, { ...fields, content, ...blank });
  const { zone = "", publishedAt = "" } = fields;
  const at = momentIn(publishedAt, zone, before?.publishedAt);
  const errors = [
    ...(read.errors ?? []),
    ...(at === undefined ? [{ field: "publishedAt", message: isTimeZone(zone) ? noTime : unknownZone }] : []),
    ...(at === null && before?.published
      ? [{ field: "publishedAt", message: "A published post needs a publish date." }]
      : []),
  ];
  if (!read.input || at === undefined || errors.length) return { errors };
  const input = { ...read.input, slug: slugOf(read.input.slug), publishedAt: at };
  if (!before) return { input };
  const was = { ...before, tags: before.tags.map(({ name }) => name) };
  const untyped = Object.fromEntries(kept.map((name) => [name, was[name]]));
  return { input: { ...input, ...untyped, content: withStoredLines(before.content, input.content) } };
}
