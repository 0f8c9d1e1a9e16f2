import type { Translator } from "../../../views/languages/translator";
import { PagePreview, type PreviewView } from "../../../views/newsletter/archive";
import type { LetterNode } from "../../../views/newsletter/letter-tree";
import { publicLine } from "./text";
import { composeEmail, type Recipient } from "./emails";
import { type Preview, pictureOf, type WrittenLetter } from "./letter";

/**
 * An email as a page of its own, for a frame. The dark style sheet applies always or never, or else as the screen
 * prefers. A subject cannot contain the text that is replaced for this, because it is escaped.
 */
export function emailPreview(letter: WrittenLetter, recipient: Recipient | undefined, isNight?: boolean): string {
  const { html } = composeEmail(letter, recipient);
  if (isNight === undefined) return html;
  return html.replace(/<style>\n@media [^{]+/, `<style>\n@media ${isNight ? "all" : "not all"} `);
}

type PageDraft = Omit<PreviewView, "nodes" | "above"> & { siteUrl: string; preview: Preview };

/** The future page in the archive, with the draft's own pictures. */
export function pagePreview({ page }: WrittenLetter, { t, subject, siteUrl, preview, ...draft }: PageDraft): string {
  const nodes = page.map((node) => withPictures(t, node, (src) => pictureOf(src, siteUrl, preview)));
  return `<!doctype html>${(<PagePreview t={t} subject={publicLine(subject, t)} nodes={nodes} {...draft} />)}`;
}

function withPictures(t: Translator, node: LetterNode, srcOf: (src: string) => string | undefined): LetterNode {
  if (typeof node === "string" || "field" in node) return node;
  if (node.tag !== "img") return { ...node, children: node.children.map((child) => withPictures(t, child, srcOf)) };
  const src = srcOf(node.src);
  return src ? { ...node, src } : `[${node.alt || t("email.picture")}]`;
}
