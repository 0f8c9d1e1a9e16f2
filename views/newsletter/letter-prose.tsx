import { type Child, jsx, render } from "../jsx/jsx-runtime";
import type { Translator } from "../languages/translator";
import type { LetterNode } from "./letter-tree";

/** A broadcast's text on its page in the archive: with fallbacks instead of names, and without an unsubscribe link. */
export const LetterProse = ({ t, nodes }: { t: Translator; nodes: LetterNode[] }) => (
  <>{nodes.map((node) => dressed(t, node))}</>
);

/** The elements that a page has. All others in a stored tree are dropped, because the tree is not trusted. */
const plainTags = new Set(
  "p h2 h3 h4 h5 h6 blockquote ul hr table thead tbody tr strong em del code br pre th td".split(" "),
);

const alignments = new Set<string | undefined>(["right", "center"]);

function dressed(t: Translator, node: LetterNode): Child {
  if (typeof node === "string") return node;
  if ("field" in node)
    return node.field === "unsubscribe_url" ? null : `${node.fallback && (node.before ?? "")}${node.fallback}`;
  if (node.tag === "img") return <img src={node.src} alt={node.alt} loading="lazy" />;
  const children = node.children.map((child) => dressed(t, child));
  switch (node.tag) {
    case "a":
      return <a href={node.href}>{children}</a>;
    case "p":
      return render(children).trim() && <p>{children}</p>;
    case "ol":
      return jsx("ol", { ...(node.start !== 1 && { start: node.start }), children });
    case "li":
      return (
        <li>
          {node.checked !== undefined && (node.checked ? "☑ " : "☐ ")}
          {children}
        </li>
      );
    case "pre":
      return (
        <pre tabindex="0">
          <code>{children}</code>
        </pre>
      );
    case "table":
      return (
        <div class="scroll" role="region" aria-label={t("archive.table")} tabindex="0">
          <table>{children}</table>
        </div>
      );
    case "th":
    case "td":
      return jsx(node.tag, { ...(alignments.has(node.align) && { class: `to-${node.align}` }), children });
    default:
      return plainTags.has(node.tag) ? jsx(node.tag, { children }) : children;
  }
}
