import type { Translator } from "../../../views/languages/translator";
import type { MergeField } from "../../../views/newsletter/letter-tree";
import { withoutMarks } from "../../content/mdx/mdx";

/** A frozen text: shared strings, with each recipient's fields between them. */
export type Segment = string | MergeField;

/** The fields and topics of the site that texts may name: topics by their slugs, with their names. */
export type SiteNames = { fields: ReadonlySet<string>; topics: ReadonlyMap<string, string> };
export const noNames: SiteNames = { fields: new Set(), topics: new Map() };

const fixed = new Set(["email", "unsubscribe_url", "preferences_url", "browser_url"]);
const grammar = String.raw`\{(?:topic "([^"\\\n{}]{1,100})"|([a-z][a-z0-9_]{0,29})(?:, ?"([^"\\\n{}]{0,60})")?)\}`;
const wholeField = new RegExp(`^${grammar}$`);
const anyField = new RegExp(grammar, "g");
/** Whether a field is written where none is filled, such as in a URL. */
export const mentionsField = (text: string, siteNames: SiteNames) =>
  [...text.matchAll(/\{([a-z][a-z0-9_]{0,29})\b/g)].some(
    ([, key = ""]) => key === "name" || fixed.has(key) || siteNames.fields.has(key),
  );

/** What a merge field becomes: a field, or the URL of the web page, which is the same for everyone. */
type Found = { field: MergeField } | { browserUrl: true };

/**
 * Reads exactly one of `{name}`, `{name, "friend"}`, `{email}`, `{unsubscribe_url}`, `{preferences_url}`,
 * `{browser_url}`, and of the site's own `{city}`, `{city, "your town"}` and `{topic "recipes"}`.
 */
export const mergeFieldIn = (source: string, t: Translator, siteNames = noNames): Found | undefined => {
  const match = source.length <= maxSource ? wholeField.exec(source) : null;
  return match ? foundIn(match, t, siteNames) : undefined;
};
const maxSource = 120;

/** What is written as a field but names none; undefined for anything else. */
export function unknownField(source: string, siteNames: SiteNames): "field" | "topic" | undefined {
  const [, topic, key = ""] = (source.length <= maxSource && wholeField.exec(source)) || [];
  if (topic !== undefined) return siteNames.topics.has(topic) ? undefined : "topic";
  return !key || key === "name" || fixed.has(key) || siteNames.fields.has(key) ? undefined : "field";
}

/** The fields in a line that are none of the site's, and stay as they are written. */
export const unknownIn = (line: string, siteNames: SiteNames): string[] =>
  [...line.matchAll(anyField)].flatMap(([source]) => (unknownField(source, siteNames) ? source : []));

function foundIn(
  [, topic, key = "", written]: RegExpMatchArray,
  t: Translator,
  siteNames: SiteNames,
): Found | undefined {
  const name = topic === undefined ? undefined : siteNames.topics.get(topic);
  if (topic !== undefined)
    return name === undefined ? undefined : { field: { field: "topic_url", topic, fallback: name } };
  const fallback = written ?? "";
  if (key === "name") return { field: { field: "name", fallback } };
  if (fixed.has(key) && written !== undefined) return undefined;
  if (key === "browser_url") return { browserUrl: true };
  if (key === "email") return { field: { field: "email", fallback: t("email.yourAddress") } };
  if (key === "preferences_url" || key === "unsubscribe_url") return { field: { field: key, fallback: "" } };
  return siteNames.fields.has(key) ? { field: { field: "own", key, fallback } } : undefined;
}

/** Splits a line of plain text, such as the subject, into text and fields. */
export function fieldsIn(line: string, t: Translator, browserUrl = "", siteNames = noNames): Segment[] {
  const segments: Segment[] = [];
  let at = 0;
  for (const match of line.matchAll(anyField)) {
    const fieldOrLink = foundIn(match, t, siteNames);
    if (!fieldOrLink) continue;
    add(segments, line.slice(at, match.index));
    if ("field" in fieldOrLink) addField(segments, fieldOrLink.field);
    else add(segments, browserUrl);
    at = match.index + match[0].length;
  }
  add(segments, line.slice(at));
  return segments;
}

function add(segments: Segment[], text: string) {
  if (typeof segments.at(-1) === "string") segments[segments.length - 1] += text;
  else if (text) segments.push(text);
}

/**
 * Adds a field. A name, or another value, without a fallback takes the space before it along, so that "Hello {name}," can
 * become "Hello,".
 */
export function addField<T>(nodes: (T | string | MergeField)[], field: MergeField) {
  const last = nodes.at(-1);
  const isSpaced = mayBeEmpty(field) && typeof last === "string" && last.endsWith(" ");
  if (isSpaced) nodes[nodes.length - 1] = last.slice(0, -1);
  nodes.push(isSpaced ? { ...field, before: " " } : field);
}

/** Whether nothing is written for who has no value. */
export const mayBeEmpty = ({ field, fallback }: MergeField): boolean =>
  (field === "name" || field === "own") && !fallback;

/** Stands in for fields while a text is rendered: marks survive escaping, and no text may contain one. */
export class FieldMarks {
  private readonly fields: MergeField[] = [];

  mark = (field: MergeField): string => `\uE000${this.fields.push(field) - 1}\uE001`;
  marked = (segments: Segment[]): string =>
    segments.map((one) => (typeof one === "string" ? withoutMarks(one) : this.mark(one))).join("");

  /** Splits the rendered text at the marks. */
  segmentsOf(rendered: string): Segment[] {
    const parts = rendered.split(/\uE000(\d+)\uE001/);
    return parts.flatMap((part, i) => (i % 2 ? (this.fields[Number(part)] ?? []) : part || []));
  }
}

/** A recipient's values; null where the fallback is used. `own` are those of the site's fields, by their keys. */
export type FieldValues = Record<Exclude<MergeField["field"], "own" | "topic_url">, string | null> & {
  own?: Record<string, string> | undefined;
};

function valueOf(segment: MergeField, values: FieldValues): string | null | undefined {
  if (segment.field === "own")
    return values.own && Object.hasOwn(values.own, segment.key) ? values.own[segment.key] : null;
  if (segment.field !== "topic_url") return values[segment.field];
  const page = values.preferences_url;
  return page?.includes("?") ? `${page}&${new URLSearchParams({ topic: segment.topic })}` : page;
}

/** Fills each recipient's values into the text. `escape` makes a value safe for where the text is used. */
export const filled = (segments: Segment[], values: FieldValues, escape?: (value: string) => string): string =>
  filledPieces(segments, values, escape).join("");

/** The same in pieces, with the shared strings unchanged. */
export const filledPieces = (segments: Segment[], values: FieldValues, escape = (value: string) => value): string[] =>
  segments.map((segment) => {
    if (typeof segment === "string") return segment;
    const value = valueOf(segment, values) || segment.fallback;
    return value && escape(`${segment.before ?? ""}${value}`);
  });

/** No one's values: for the archive, and for a preview as someone without a name. */
export const nobody: FieldValues = {
  name: null,
  email: null,
  unsubscribe_url: null,
  preferences_url: null,
  leave_topic_url: null,
};

/**
 * Returns the name to greet someone with, or null. A visitor's form must not make us send their words to a stranger
 * (D33), so it has to look like a name: no address, no domain, nothing long.
 */
export function greetingName(name: string | null): string | null {
  const plain = name && name.length <= 160 ? name.trim() : "";
  const isName = /^[\p{L}\p{M}\p{N} .'’-]{1,40}$/u.test(plain) && /\p{L}/u.test(plain);
  return isName && !/\.[\p{L}\p{N}]/u.test(plain) ? plain : null;
}
