/** An element of a document that was read by the rules of XML 1.0, and by nothing more lenient. */
export class XmlNode {
  readonly children: XmlNode[] = [];
  text = "";
  constructor(
    readonly name: string,
    readonly attributes: Record<string, string>,
  ) {}
  all(name: string): XmlNode[] {
    return this.children.filter((child) => child.name === name);
  }
  one(name: string): XmlNode {
    const [found] = this.all(name);
    if (!found) throw new Error(`<${this.name}> has no <${name}>`);
    return found;
  }
}

const allowed = /^[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]*$/u;
const name = "[A-Za-z_][\\w.-]*(?::[A-Za-z_][\\w.-]*)?";
const token = new RegExp(`<(/?)(${name})((?:\\s+${name}="[^"<]*")*)\\s*(/?)>|([^<]+)`, "y");
const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Reads a document without comments, CDATA and doctype: ours have none. @throws when it is not well-formed */
export function parseXml(document: string): XmlNode {
  if (!allowed.test(document)) throw new Error("There is a character that XML does not know");
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
  if (!document.startsWith(declaration)) throw new Error("The declaration is missing");
  const top = new XmlNode("", {});
  const open = [top];
  token.lastIndex = declaration.length;
  while (token.lastIndex < document.length) {
    const at = token.lastIndex;
    const [found, closing, tag = "", attributes = "", empty, text] = token.exec(document) ?? [];
    const parent = open.at(-1);
    if (found === undefined || !parent) throw new Error(`Not well-formed: ${document.slice(at, at + 60)}`);
    if (text !== undefined) parent.text += unescaped(text);
    else if (closing) {
      if (parent.name !== tag) throw new Error(`</${tag}> closes <${parent.name}>`);
      open.pop();
    } else {
      const node = new XmlNode(tag, attributesOf(attributes, open));
      parent.children.push(node);
      if (!empty) open.push(node);
    }
  }
  const [root] = top.children;
  if (open.length > 1 || top.children.length !== 1 || !root || top.text.trim())
    throw new Error("Not one whole element");
  return root;
}

function attributesOf(text: string, open: XmlNode[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [, key = "", value = ""] of text.matchAll(/([^\s=]+)="([^"]*)"/g)) {
    if (key in found) throw new Error(`${key} is given twice`);
    found[key] = unescaped(value);
  }
  const prefixes = [...open.flatMap(({ attributes }) => Object.keys(attributes)), ...Object.keys(found)];
  for (const key of Object.keys(found)) {
    const prefix = /^(\w+):/.exec(key)?.[1];
    if (prefix && prefix !== "xmlns" && !prefixes.includes(`xmlns:${prefix}`))
      throw new Error(`${prefix}: is not bound`);
  }
  return found;
}

function unescaped(text: string): string {
  if (text.includes("]]>")) throw new Error("]]> in text");
  return text.replace(/&(#?\w*);?/g, (whole, entity: string) => {
    const known = entities[entity];
    if (known === undefined || !whole.endsWith(";")) throw new Error(`Not an entity: ${whole}`);
    return known;
  });
}
