import type { Translator } from "../../../views/languages/translator";
import type { MergeField } from "../../../views/newsletter/letter-tree";
import { withoutMarks } from "../../content/mdx/mdx";

/** A frozen text: shared strings, with each recipient's fields between them. */
export type Segment = string | MergeField;

const grammar = String.raw`\{(?:(name)(?:, ?"([^"\\\n{}]{0,60})")?|(email|unsubscribe_url|preferences_url|browser_url))\}`;
const wholeField = new RegExp(`^${grammar}$`);
const anyField = new RegExp(grammar, "g");
/** Whether a field is written where none is filled, such as in a URL. */
export const mentionsField = (text: string) =>
  /\{(?:name|email|unsubscribe_url|preferences_url|browser_url)\b/.test(text);

/** What a merge field becomes: a field, or the URL of the web page, which is the same for everyone. */
type Found = { field: MergeField } | { browserUrl: true };

/**
 * Reads exactly one of `{name}`, `{name, "friend"}`, `{email}`, `{unsubscribe_url}`, `{preferences_url}` and
 * `{browser_url}`.
 */
export const mergeFieldIn = (source: string, t: Translator): Found | undefined => {
  const match = source.length <= 100 ? wholeField.exec(source) : null;
  return match ? foundIn(match, t) : undefined;
};

/** Whether it is one of them. */
export const isMergeField = (source: string) => source.length <= 100 && wholeField.test(source);

function foundIn([, name, fallback = "", other]: RegExpMatchArray, t: Translator): Found {
  if (name) return { field: { field: "name", fallback } };
  if (other === "browser_url") return { browserUrl: true };
  return other === "email"
    ? { field: { field: "email", fallback: t("email.yourAddress") } }
    : { field: { field: other === "preferences_url" ? other : "unsubscribe_url", fallback: "" } };
}

/** Splits a line of plain text, such as the subject, into text and fields. */
export function fieldsIn(line: string, t: Translator, browserUrl = ""): Segment[] {
  const segments: Segment[] = [];
  let at = 0;
  for (const match of line.matchAll(anyField)) {
    const fieldOrLink = foundIn(match, t);
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
 * Adds a field. A name without a fallback takes the space before it along, so that "Hello {name}," can become "Hello,".
 */
export function addField<T>(nodes: (T | string | MergeField)[], field: MergeField) {
  const last = nodes.at(-1);
  const isSpaced = field.field === "name" && !field.fallback && typeof last === "string" && last.endsWith(" ");
  if (isSpaced) nodes[nodes.length - 1] = last.slice(0, -1);
  nodes.push(isSpaced ? { ...field, before: " " } : field);
}

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

/** A recipient's values; null where the fallback is used. */
export type FieldValues = Record<MergeField["field"], string | null>;

/** Fills each recipient's values into the text. `escape` makes a value safe for where the text is used. */
export const filled = (segments: Segment[], values: FieldValues, escape?: (value: string) => string): string =>
  filledPieces(segments, values, escape).join("");

/** The same in pieces, with the shared strings unchanged. */
export const filledPieces = (segments: Segment[], values: FieldValues, escape = (value: string) => value): string[] =>
  segments.map((segment) => {
    if (typeof segment === "string") return segment;
    const value = values[segment.field] || segment.fallback;
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
