import { type Child, jsx } from "../jsx/jsx-runtime";
import type { Translator } from "../languages/translator";
import type { LetterNode, MergeField } from "../newsletter/letter-tree";
import { serif, style } from "./email-layout";

const ink = "color:#251f19";
const line = "1px solid #e3dfd8";
const mono = "font-family:ui-monospace,Menlo,Consolas,monospace";
const list = "margin:0 0 16px;padding:0 0 0 22px";
const cell = `padding:6px 12px 6px 0;border-bottom:${line};font-size:15px;line-height:22px;${ink}`;
const heading = (size: number, height: number) =>
  `margin:28px 0 8px;font-size:${size}px;line-height:${height}px;font-weight:500;${serif}`;

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
  blockquote: { class: "rule", style: "margin:0 0 16px;padding:0 0 0 16px;border-left:3px solid #e3dfd8" },
  ul: { style: list },
  ol: { style: list },
  hr: { class: "rule", style: `margin:24px 0;border:0;border-top:${line}` },
  pre: {
    class: "code",
    style: `margin:0 0 16px;padding:14px 16px;font-size:14px;line-height:22px;background-color:#f3f0eb;border-radius:7px;white-space:pre-wrap;${mono}`,
  },
  code: { style: `font-size:0.92em;${mono}` },
  table: { style: "width:100%;margin:0 0 16px;border-collapse:collapse" },
  th: { class: "ink rule", style: cell },
  td: { class: "ink rule", style: cell },
  a: { class: "link", style: style.link },
  img: { style: "max-width:100%;height:auto;border:0" },
};
const plainTags = new Set(["strong", "em", "del", "br", "thead", "tbody", "tr", "li"]);

/** Returns the source of a picture; undefined for one that is shown as its description. */
type PictureOf = (src: string) => string | undefined;
type Props = { t: Translator; nodes: LetterNode[]; mark: (field: MergeField) => string; pictureOf: PictureOf };

/** A broadcast's text in an email. `mark` returns the mark of a merge field until the recipient is known. */
export const EmailProse = ({ nodes, ...how }: Props) => (
  <div class="ink" style={`font-size:16px;line-height:26px;${ink};overflow-wrap:anywhere`}>
    {nodes.map((node) => dressed(node, how))}
  </div>
);

function dressed(node: LetterNode, how: Omit<Props, "nodes">): Child {
  if (typeof node === "string") return node;
  if ("field" in node) return mergeField(node, how.mark(node));
  if (node.tag === "img") return picture(node.alt || how.t("email.picture"), node, how.pictureOf(node.src));
  const children = node.children.map((child) => dressed(child, how));
  const look = looks[node.tag];
  switch (node.tag) {
    case "a":
      return jsx("a", { ...look, href: node.href, children });
    case "ol":
      return jsx("ol", { ...look, ...(node.start !== 1 && { start: node.start }), children });
    case "li":
      return jsx("li", { ...look, children: [node.checked !== undefined && (node.checked ? "☑ " : "☐ "), children] });
    case "th":
    case "td":
      return jsx(node.tag, {
        ...look,
        style: `${cell};text-align:${alignments.has(node.align) ? node.align : "left"}`,
        children,
      });
    default:
      return look || plainTags.has(node.tag) ? jsx(node.tag, { ...look, children }) : children;
  }
}

const alignments = new Set<string | undefined>(["right", "center"]);

const mergeField = ({ field }: MergeField, mark: string) =>
  field === "unsubscribe_url" ? jsx("a", { ...looks.a, href: mark, children: mark }) : mark;

const picture = (words: string, { alt }: { alt: string }, src: string | undefined) =>
  src ? (
    jsx("img", { ...looks.img, src, alt })
  ) : (
    <span class="quiet" style="color:#585149">
      [{words}]
    </span>
  );
