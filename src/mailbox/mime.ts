/* Reads emails from outside, of which nothing is trusted: not their size, their depth, nor their parts. */

/** The most that is read of one email. */
export const maxBytes = 2 ** 20;
const maxDepth = 5;
const maxParts = 50;
const maxHeaderCharacters = 64 * 2 ** 10;
const maxHeaders = 300;
const maxValueLength = 8_000;

/** The fields of a header by their lower-case names, unfolded; each byte is one character. */
type Fields = Map<string, string[]>;

/** An email, or a part of one. */
export type Part = {
  fields: Fields;
  /** "text/plain", in lower case. */
  type: string;
  parameters: Map<string, string>;
  /** As it was transferred: each byte is one character. Empty if it has parts. */
  body: string;
  parts: Part[];
};

/** Reads an email. What goes beyond the limits is left out; nothing throws. */
export function readEmail(bytes: Uint8Array): Part {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, maxBytes)).toString("latin1");
  return readPart(text, "text/plain", { depth: 0, left: { parts: maxParts } });
}

type Limits = { depth: number; left: { parts: number } };

function readPart(text: string, defaultType: string, limits: Limits): Part {
  limits.left.parts--;
  const { head, body } = split(text);
  const fields = readFields(head);
  const { value, parameters } = readParameters(fields.get("content-type")?.[0] ?? "");
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(value) ? value : defaultType;
  const part: Part = { fields, type, parameters, body, parts: [] };
  if (limits.depth >= maxDepth) return part;
  const inner = { ...limits, depth: limits.depth + 1 };
  if (type.startsWith("multipart/")) {
    const innerType = type === "multipart/digest" ? "message/rfc822" : "text/plain";
    for (const each of sections(body, parameters.get("boundary") ?? "")) {
      if (limits.left.parts <= 0) break;
      part.parts.push(readPart(each, innerType, inner));
    }
    part.body = "";
  } else if (isEmail(type) && limits.left.parts > 0) part.parts.push(readPart(transferred(part), "text/plain", inner));
  return part;
}

const isEmail = (type: string) => type === "message/rfc822" || type === "message/global";

/** The header, and what is after the first empty line. A section may begin with that line: then it has no header. */
function split(text: string): { head: string; body: string } {
  const start = /^\r?\n/.exec(text)?.[0].length;
  if (start !== undefined) return { head: "", body: text.slice(start) };
  const end = /\r?\n\r?\n/.exec(text);
  if (!end) return { head: text.slice(0, maxHeaderCharacters), body: "" };
  return { head: text.slice(0, Math.min(end.index, maxHeaderCharacters)), body: text.slice(end.index + end[0].length) };
}

/** Reads the fields of a header, or of a part that consists of such fields. */
export function readFields(text: string): Fields {
  const fields: Fields = new Map();
  const lines = text
    .slice(0, maxHeaderCharacters)
    .replace(/\r?\n[ \t]+/g, " ")
    .split(/\r?\n/, maxHeaders);
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    if (!/^[!-9;-~]{1,80}$/.test(name)) continue;
    fields.set(name, [...(fields.get(name) ?? []), line.slice(colon + 1, maxValueLength).trim()]);
  }
  return fields;
}

/** The first field of this name; empty without one. */
export const field = ({ fields }: Pick<Part, "fields">, name: string): string => fields.get(name)?.[0] ?? "";

/** Reads `text/plain; charset="utf-8"`. */
function readParameters(text: string): { value: string; parameters: Map<string, string> } {
  const [value = ""] = text.split(";", 1);
  const parameters = new Map<string, string>();
  for (const [, name = "", quoted, plain = ""] of text.matchAll(/;\s*([\w-]{1,40})\s*=\s*(?:"([^"]*)"|([^\s;]*))/g))
    parameters.set(name.toLowerCase(), quoted ?? plain);
  return { value: value.trim().toLowerCase(), parameters };
}

/** What is between the lines of a boundary; the last section may be cut off. */
function sections(body: string, boundary: string): string[] {
  if (!boundary || boundary.length > 200) return [];
  const delimiter = `\n--${boundary}`;
  const text = `\n${body}`;
  const bodies: string[] = [];
  for (let at = text.indexOf(delimiter); at >= 0 && bodies.length < maxParts;) {
    const afterDelimiter = at + delimiter.length;
    if (text.startsWith("--", afterDelimiter)) break;
    const lineEnd = text.indexOf("\n", afterDelimiter);
    if (lineEnd < 0) break;
    const next = text.indexOf(delimiter, lineEnd);
    if (/^[ \t]*\r?$/.test(text.slice(afterDelimiter, lineEnd)))
      bodies.push(text.slice(lineEnd + 1, next < 0 ? undefined : next).replace(/\r$/, ""));
    at = next;
  }
  return bodies;
}

/** The body without its transfer encoding: each byte is one character. */
function transferred({ fields, body }: Pick<Part, "fields" | "body">): string {
  const encoding = field({ fields }, "content-transfer-encoding").toLowerCase();
  if (encoding === "base64") return Buffer.from(body, "base64").toString("latin1");
  return encoding === "quoted-printable" ? unquoted(body) : body;
}

const unquoted = (text: string) =>
  text
    .replace(/=[ \t]{0,20}\r?\n/g, "") // bounded: a body of spaces is read once
    .replace(/=([\dA-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** The text of a part, with "\n" at the end of each line. Longer ones are cut. */
export function textOf(part: Part, maxCharacters: number): string {
  const charset = part.parameters.get("charset") ?? "utf-8";
  const text = decoded(Buffer.from(transferred(part).slice(0, 4 * maxCharacters), "latin1"), charset);
  return text.slice(0, maxCharacters).replaceAll("\r\n", "\n").replaceAll("\r", "\n");
}

function decoded(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset.trim() as Bun.Encoding).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes); // of a charset that is none, or unknown here
  }
}

/** A value with encoded words (RFC 2047) as people read it. */
export const words = (value: string): string =>
  decoded(Buffer.from(value, "latin1"), "utf-8") // RFC 6532
    .replace(/(\?=)\s+(?==\?)/g, "$1")
    .replace(
      /=\?([\w-]{1,40})(?:\*[\w-]*)?\?([bq])\?([^?\s]{0,500})\?=/gi,
      (_, charset: string, how: string, text: string) =>
        decoded(
          how.toLowerCase() === "b"
            ? Buffer.from(text, "base64")
            : Buffer.from(unquoted(text.replaceAll("_", " ")), "latin1"),
          charset,
        ),
    );

/** An email's parts, itself first, outer before inner. Not those of an email that it contains. */
export const partsOf = (part: Part): Part[] => [part, ...(isEmail(part.type) ? [] : part.parts.flatMap(partsOf))];

/** The first email that a part contains. */
export const innerEmail = (part: Part): Part | undefined => partsOf(part).find(({ type }) => isEmail(type))?.parts[0];
