import { shortened } from "../../../db/lib/text";
import type { Translator } from "../../../views/languages/translator";
import type { LetterNode, MergeField } from "../../../views/newsletter/letter-tree";
import { fieldsIn, filled, nobody } from "./merge-fields";

type How = { t: Translator; mark: (field: MergeField) => string };

/** The plain-text part of an email: the same tree, with URLs in angle brackets and pictures as their descriptions. */
export const plainText = (nodes: LetterNode[], how: How): string =>
  blocks(nodes, how)
    .replace(/[^\S\n]+(\n?)/g, (blanks, end) => end || blanks) // each run is read once, however long it is
    .replace(/\n{3,}/g, "\n\n")
    .replace(/^\n+/, "")
    .trimEnd();

/** Blocks are separated by a blank line; text between them is a block too. */
function blocks(nodes: LetterNode[], how: How, separator = "\n\n"): string {
  const parts: string[] = [];
  let line = "";
  for (const node of nodes) {
    const block = typeof node === "string" ? undefined : blockOf(node, how);
    if (block === undefined) line += inline(node, how);
    else {
      parts.push(line, block);
      line = "";
    }
  }
  return [...parts, line].filter((part) => part.trim()).join(separator);
}

/** Returns the lines of a block; undefined for an inline node. */
function blockOf(node: Exclude<LetterNode, string>, how: How): string | undefined {
  if ("field" in node || node.tag === "img") return undefined;
  const { tag, children } = node;
  const words = () => children.map((child) => inline(child, how)).join("");
  switch (tag) {
    case "p":
    case "li":
      return blocks(children, how, children.some(isParagraph) ? "\n\n" : "\n");
    case "h2":
    case "h3":
    case "h4":
    case "h5":
    case "h6":
      return `\n${words()}`;
    case "pre":
      return indented(children.join("").replace(/\n$/, ""), "    ");
    case "blockquote":
      return indented(blocks(children, how), "> ");
    case "ul":
      return items(children, how, () => "- ");
    case "ol":
      return items(children, how, (i) => `${node.start + i}. `);
    case "hr":
      return "----------";
    case "table":
      return rowsOf(children)
        .map((row) => row.map((cell) => inline(cell, how).replaceAll("\n", " ")).join(" | "))
        .join("\n");
    default:
      return undefined;
  }
}

/** One item per line, unless one of them has several paragraphs. */
function items(children: LetterNode[], how: How, bullet: (index: number) => string): string {
  const texts = children.map((item, i) => {
    const isDone = typeof item === "object" && "tag" in item && item.tag === "li" ? item.checked : undefined;
    const box = isDone === undefined ? "" : isDone ? "[x] " : "[ ] ";
    const lead = `${bullet(i)}${box}`;
    const [first = "", ...rest] = blocks([item], how).split("\n");
    return [`${lead}${first}`, ...rest.map((line) => line && `${" ".repeat(bullet(i).length)}${line}`)].join("\n");
  });
  return texts.join(texts.some((text) => text.includes("\n\n")) ? "\n\n" : "\n");
}

const isParagraph = (node: LetterNode) => typeof node === "object" && "tag" in node && node.tag === "p";

const indented = (text: string, prefix: string) =>
  text
    .split("\n")
    .map((line) => `${prefix}${line}`)
    .join("\n");

const rowsOf = (nodes: LetterNode[]): LetterNode[][] =>
  nodes.flatMap((node) => {
    if (typeof node === "string" || !("children" in node)) return [];
    return node.tag === "tr" ? [node.children] : rowsOf(node.children);
  });

function inline(node: LetterNode, how: How): string {
  if (typeof node === "string") return node.replace(/\s+/g, (blanks) => (blanks.includes("\n") ? " " : blanks));
  if ("field" in node) return node.field === "topic_url" ? `${node.fallback} <${how.mark(node)}>` : how.mark(node);
  if (node.tag === "img") return `[${node.alt || how.t("email.picture")}]`;
  if (node.tag === "br") return "\n";
  const words = node.children.map((child) => inline(child, how)).join("");
  if (node.tag !== "a") return words;
  const address = node.href.replace(/^(?:mailto|tel):/, "");
  return words.trim() === address || !words.trim() ? address : `${words} <${address}>`;
}

const maxWords = 150; // characters

/** The first words of a text, for lists and for the line after a subject: with fallbacks, without code and URLs. */
export function firstWords(nodes: LetterNode[]): string {
  let text = "";
  const read = (node: LetterNode) => {
    if (text.length > 4 * maxWords) return;
    if (typeof node === "string") text += node;
    else if ("field" in node)
      text += node.fallback && isSpoken.has(node.field) ? `${node.before ?? ""}${node.fallback}` : "";
    else if (node.tag === "img" || unspoken.has(node.tag) || !("children" in node)) return;
    else {
      for (const child of node.children) read(child);
      if (!inlineTags.has(node.tag)) text += " ";
    }
  };
  for (const node of nodes) read(node);
  return shortened(text, maxWords);
}

const isSpoken = new Set<string>(["name", "own", "topic_url"]);
/** In headings and code, the first words say little. */
const unspoken = new Set<string>(["h2", "h3", "h4", "h5", "h6", "pre", "table"]);
const inlineTags = new Set<string>(["a", "strong", "em", "del", "code"]);

/** A stored tree, for `LetterProse`. */
export const nodesOf = (page: unknown): LetterNode[] => (Array.isArray(page) ? (page as LetterNode[]) : []);

/** A line of a broadcast for the public, with fallbacks instead of names. */
export const publicLine = (line: string, t: Translator) => filled(fieldsIn(line, t), nobody).trim();

/** Describes a broadcast in one line: its preheader, or else its first words. */
export const excerptOf = ({ preheader, page }: { preheader: string; page: unknown }, t: Translator) =>
  preheader ? publicLine(preheader, t) : firstWords(nodesOf(page));

/** The whole text, for sites that show it themselves. */
export const publicText = (page: unknown, t: Translator) =>
  plainText(nodesOf(page), { t, mark: (field) => filled([field], nobody) });

/** The URL of its page in the archive. @param baseUrl BASE_URL */
export const archiveUrl = (baseUrl: string, slug?: string) =>
  `${baseUrl}/newsletter${slug === undefined ? "" : `/${encodeURIComponent(slug)}`}`;
