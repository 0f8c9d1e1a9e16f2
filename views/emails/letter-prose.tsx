import type { Brand } from "../brand";
import { type Child, jsx } from "../jsx/jsx-runtime";
import type { Translator } from "../languages/translator";
import { alignmentOf, isLinkField, type LetterNode, type MergeField } from "../newsletter/letter-tree";
import { Aside, filled, linkStyle, sans, serif } from "./email-layout";

const ink = "color:#251f19";
const line = "1px solid #e3dfd8";
const mono = "font-family:ui-monospace,Menlo,Consolas,monospace";
const list = "margin:0 0 16px;padding:0 0 0 22px";
const cell = `padding:6px 12px 6px 0;border-bottom:${line};font-size:15px;line-height:22px;${ink}`;
const heading = (size: number, height: number) =>
  `margin:28px 0 8px;font-size:${size}px;line-height:${height}px;font-weight:500;${serif}`;

/** The column less the padding of the sheet, in pixels. */
const columnWidth = 488;

/** How programs look that set a paragraph apart: Word pads, frames and fills only cells (letter-rules.test.tsx). */
const asides = {
  blockquote: {
    class: "rule",
    style: `padding:0 0 0 16px;border-left:3px solid #e3dfd8;font-size:16px;line-height:26px;${sans}`,
  },
  pre: {
    class: "code",
    ...filled("#f3f0eb"),
    style: `padding:14px 16px;background-color:#f3f0eb;border-radius:7px;${mono}`,
  },
};

/**
 * Each element has one constant style, because email apps drop style sheets. Size and colour of the text are inherited,
 * so that 10,000 words stay below the 102 KB that Gmail shows. The classes are for the dark version.
 */
const looks: Record<string, { class?: string; style?: string }> = {
  p: { style: "margin:0 0 16px" },
  h2: { style: heading(20, 28) },
  h3: { style: heading(18, 26) },
  h4: { style: heading(16, 24) },
  h5: { style: heading(16, 24) },
  h6: { style: heading(16, 24) },
  blockquote: { style: "margin:0" },
  ul: { style: list },
  ol: { style: list },
  hr: { class: "rule", style: `margin:24px 0;border:0;border-top:${line}` },
  pre: { class: "ink", style: `margin:0;font-size:14px;line-height:22px;white-space:pre-wrap;${mono}` },
  code: { style: `font-size:0.92em;${mono}` },
  table: { style: "margin:0 0 16px;border-collapse:collapse" },
  th: { class: "ink rule", style: cell },
  td: { class: "ink rule", style: cell },
  img: {
    style:
      "width:auto;max-width:100%;height:auto;border:0;font-size:14px;line-height:20px;font-style:italic;color:#585149",
  },
};
/** Blocks whose first letter decides whether they run from the right. Email apps lose the attribute on cells and links. */
const ownDirection = new Set(["p", "h2", "h3", "h4", "h5", "h6"]);
const plainTags = new Set(["strong", "em", "del", "br", "thead", "tbody", "tr", "li"]);

/** Returns the source of a picture; undefined for one that is shown as its description. */
type PictureOf = (src: string) => string | undefined;
type Props = {
  t: Translator;
  nodes: LetterNode[];
  brand: Brand;
  mark: (field: MergeField) => string;
  pictureOf: PictureOf;
};

/** A broadcast's text in an email. `mark` returns the mark of a merge field until the recipient is known. */
export const EmailProse = ({ nodes, ...how }: Props) => (
  <div class="ink" style={`font-size:16px;line-height:26px;${ink};overflow-wrap:anywhere`}>
    {nodes.map((node) => dressed(node, how))}
  </div>
);

type How = Omit<Props, "nodes"> & {
  /** In a link, or in code. */
  isVerbatim?: boolean;
};

function dressed(node: LetterNode, how: How): Child {
  if (typeof node === "string") return how.isVerbatim ? node : linked(node, how);
  if ("field" in node) return mergeField(node, how);
  if (node.tag === "img") return picture(node.alt || how.t("email.picture"), node, how.pictureOf(node.src));
  const within = verbatimTags.has(node.tag) ? { ...how, isVerbatim: true } : how;
  const children = node.children.map((child) => dressed(child, within));
  const look = looks[node.tag];
  switch (node.tag) {
    case "blockquote":
      return <Aside {...asides.blockquote}>{jsx("blockquote", { ...look, children })}</Aside>;
    case "pre":
      return <Aside {...asides.pre}>{jsx("pre", { ...look, children })}</Aside>;
    case "table":
      return jsx("table", { ...look, width: "100%", children });
    case "a":
      return <Link href={node.href} how={how} children={children} />;
    case "ol":
      return jsx("ol", { ...look, ...(node.start !== 1 && { start: node.start }), children });
    case "li":
      return jsx("li", {
        dir: "auto",
        children: [node.checked !== undefined && (node.checked ? "☑ " : "☐ "), children],
      });
    case "th":
    case "td":
      return jsx(node.tag, {
        ...look,
        style: `${cell};text-align:${alignmentOf(node) ?? "left"}`,
        children,
      });
    default:
      if (!look && !plainTags.has(node.tag)) return children;
      return jsx(node.tag, { ...look, ...(ownDirection.has(node.tag) && { dir: "auto" }), children });
  }
}

const verbatimTags = new Set(["a", "code", "pre"]);

/** Makes links of bare URLs: most email apps would, each in its own way. */
const linked = (text: string, how: How): Child =>
  text.split(/(https?:\/\/[^\s<>"\uE000-\uF8FF]+)/).map((piece, index) => {
    const href = index % 2 ? piece.slice(0, urlLength(piece)) : "";
    return URL.canParse(href) ? [<Link href={href} how={how} children={href} />, piece.slice(href.length)] : piece;
  });

/** Returns the length of a URL without the punctuation of the sentence that it ends. */
function urlLength(url: string): number {
  let length = url.length;
  while (length && `.,;:!?'’”${url.includes("(") ? "" : ")"}`.includes(url.charAt(length - 1))) length--;
  return length;
}

function mergeField(field: MergeField, how: How) {
  const mark = how.mark(field);
  if (field.field === "topic_url") return <Link href={mark} how={how} children={field.fallback} />;
  return isLinkField(field.field) ? <Link href={mark} how={how} children={mark} /> : mark;
}

const Link = ({ href, how, children }: { href: string; how: How; children?: Child }) => (
  <a class="link" style={linkStyle(how.brand)} href={href}>
    {children}
  </a>
);

const picture = (words: string, { alt, width }: { alt: string; width?: number }, src: string | undefined) =>
  src ? (
    jsx("img", { ...looks.img, class: "quiet", width: Math.min(width ?? columnWidth, columnWidth), src, alt })
  ) : (
    <span class="quiet" style="color:#585149">
      [{words}]
    </span>
  );
