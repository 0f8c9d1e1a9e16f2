/** A piece of XML that this file produced. */
export class Xml {
  constructor(readonly text: string) {}
}

type Attributes = Record<string, string>;
type Child = Xml | string | undefined;

/** An element. Text and attributes are escaped, and characters that XML does not allow are removed. */
export function element(name: string, attributes: Attributes, ...children: Child[]): Xml {
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  const inside = children.map((child) => (child instanceof Xml ? child.text : escaped(child ?? ""))).join("");
  return new Xml(`<${name}${pairs.join("")}${inside ? `>${inside}</${name}>` : "/>"}`);
}

/** Several pieces in sequence. */
export const all = (pieces: Xml[]): Xml => new Xml(pieces.map(({ text }) => text).join("\n"));

/** A document with this root. */
export const documentOf = (root: Xml): string => `<?xml version="1.0" encoding="UTF-8"?>\n${root.text}\n`;

const names: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

/** XML 1.0, 2.2: most control characters, surrogate halves and two noncharacters are not allowed in a document. */
const forbidden = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** Escapes text for an element or an attribute. */
export const escaped = (text: string): string =>
  text.replace(forbidden, "").replace(/[&<>"']/g, (character) => names[character] ?? "");
