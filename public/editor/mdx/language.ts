import { defineLanguageFacet, Language } from "@codemirror/language";
import { type BlockContext, GFM, type InlineContext, type Line, type MarkdownConfig, parser } from "@lezer/markdown";

const code = (sign: string) => sign.charCodeAt(0);
const [openBrace, closeBrace, openAngle, closeAngle] = [..."{}<>"].map(code);
const [doubleQuote, singleQuote, backtick] = [..."\"'`"].map(code);
const isQuote = (sign: number) => sign === doubleQuote || sign === singleQuote;

/** Returns the end of `{…}` from its brace, strings and nested braces included; -1 if it is not closed here. */
function braceEnd(context: InlineContext, from: number): number {
  let depth = 0;
  let quote = 0;
  for (let at = from; at < context.end; at++) {
    const sign = context.char(at);
    if (quote) quote = sign === quote ? 0 : quote;
    else if (isQuote(sign) || sign === backtick) quote = sign;
    else if (sign === openBrace) depth++;
    else if (sign === closeBrace && --depth === 0) return at + 1;
  }
  return -1;
}

/** Returns the end of `<Name …>`, `</Name>` or `<>` from its angle bracket; -1 if it is not closed here. */
function tagEnd(context: InlineContext, from: number): number {
  let quote = 0;
  for (let at = from + 1; at < context.end; at++) {
    const sign = context.char(at);
    if (quote) quote = sign === quote ? 0 : quote;
    else if (isQuote(sign)) quote = sign;
    else if (sign === closeAngle) return at + 1;
    else if (sign === openAngle) return -1;
    else if (sign === openBrace) {
      const end = braceEnd(context, at);
      if (end < 0) return -1;
      at = end - 1;
    }
  }
  return -1;
}

const inline = (name: string, endOf: (context: InlineContext, next: number, from: number) => number) => ({
  name,
  before: "Emphasis",
  parse(context: InlineContext, next: number, from: number) {
    const end = endOf(context, next, from);
    return end < 0 ? -1 : context.addElement(context.elt(name, from, end));
  },
});

/** Imports and exports, to the next empty line. */
function parseEsm(context: BlockContext, line: Line): boolean {
  if (context.depth > 1 || !/^(import|export)\s/.test(line.text)) return false;
  const start = context.lineStart;
  let end = start + line.text.length;
  while (context.nextLine() && line.text.trim()) end = context.lineStart + line.text.length;
  context.addElement(context.elt("Esm", start, end));
  return true;
}

/** MDX: expressions, components, imports and exports; no indented code and no HTML. */
const mdx: MarkdownConfig = {
  remove: ["IndentedCode", "HTMLBlock", "HTMLTag", "Autolink"],
  defineNodes: ["Expression", "Component", { name: "Esm", block: true }],
  parseInline: [
    inline("Expression", (context, next, from) => (next === openBrace ? braceEnd(context, from) : -1)),
    inline("Component", (context, next, from) =>
      next === openAngle && /[A-Za-z/>]/.test(context.slice(from + 1, from + 2)) ? tagEnd(context, from) : -1,
    ),
  ],
  parseBlock: [{ name: "Esm", parse: parseEsm }],
};

/** GFM and MDX. Only decorations depend on it: what a reader sees is decided in src/content/mdx. */
export const mdxLanguage = new Language(defineLanguageFacet(), parser.configure([GFM, mdx]), [], "mdx");
