import type { Translator } from "../../../views/languages/translator";
import { PagePreview } from "../../../views/newsletter/archive";
import type { LetterNode } from "../../../views/newsletter/letter-tree";
import { publicLine } from "./archived";
import { composeEmail, type Recipient } from "./emails";
import { type Look, pictureOf, type WrittenLetter } from "./letter";

/**
 * An email as a page of its own, for a frame. For the dark preview, the dark style sheet applies whatever the screen
 * prefers. A subject cannot contain the text that is replaced for this, because it is escaped.
 */
export function emailPreview(letter: WrittenLetter, recipient: Recipient | undefined, isNight: boolean): string {
  const { html } = composeEmail(letter, recipient);
  return isNight ? html.replace(/<style>\n@media [^{]+/, "<style>\n@media all ") : html;
}

type PageDraft = {
  t: Translator;
  subject: string;
  sentAt: Date;
  author?: string | undefined;
  siteUrl: string;
  look: Look;
  isNight: boolean;
};

/** The future page in the archive, with the draft's own pictures. */
export function pagePreview({ page }: WrittenLetter, { t, subject, siteUrl, look, ...draft }: PageDraft): string {
  const nodes = page.map((node) => withPictures(t, node, (src) => pictureOf(src, siteUrl, look)));
  return `<!doctype html>${(<PagePreview t={t} subject={publicLine(subject, t)} nodes={nodes} {...draft} />)}`;
}

function withPictures(t: Translator, node: LetterNode, srcOf: (src: string) => string | undefined): LetterNode {
  if (typeof node === "string" || "field" in node) return node;
  if (node.tag !== "img") return { ...node, children: node.children.map((child) => withPictures(t, child, srcOf)) };
  const src = srcOf(node.src);
  return src ? { ...node, src } : `[${node.alt || t("email.picture")}]`;
}
