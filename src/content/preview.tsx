import type { Dimensions } from "../../db/storage/pictures";
import { Box, CodeBox, ImageBox, LinkBox, OwnImage } from "../../views/components/prose";
import { type Child, type JSX, jsx } from "../../views/jsx/jsx-runtime";
import type { Problem } from "./mdx/mdx";
import type { Prop } from "./mdx/tag";
import { isOwnFile, linkAddress, type Prose, proseOf } from "./mdx/prose-tree";

/** What readers would see, as far as Markdown goes, and what would break a build. */
type Preview = { prose: JSX.Element; problems: Problem[] };
type Around = {
  /** The base of relative links. */
  blogUrl: string;
  /** The dimensions of pictures in Storage, by ID. */
  pictures: ReadonlyMap<string, Dimensions>;
};

/**
 * Only the beginning of a long text is shown: laying it out costs a hundred times as much as reading it. A box is fifty
 * times as large as what it shows.
 */
const limits = { characters: 100_000, nodes: 10_000, boxes: 5_000 };
const names = { import: "Import", export: "Export", expression: "Expression" };

/**
 * Shows an MDX body without executing any of it. Safe by construction: the parsers return trees, and this module
 * creates allowed elements from them with the escaping JSX runtime; the author's HTML exists at no point.
 */
export function preview(body: string, around: Around): Preview {
  const { nodes, problems, isCut } = proseOf(body, limits);
  const prose = (
    <>
      {all(nodes, around)}
      {isCut && <p class="hint">The preview ends here. The post goes on.</p>}
    </>
  );
  return { prose, problems };
}

const all = (nodes: Prose[], around: Around): Child => nodes.map((node) => dressed(node, around));

function dressed(node: Prose, around: Around): Child {
  if (typeof node === "string") return node;
  if (node.tag === "img") return image(node, around);
  const children = all(node.children, around);
  switch (node.tag) {
    case "a":
      return link(node.href, children, around.blogUrl);
    case "mdx":
      return piece(node, children);
    case "pre":
      return jsx("pre", { children: <code>{children}</code> });
    case "ol":
      return <ol start={String(node.start)}>{children}</ol>;
    case "li":
      return node.checked === undefined ? (
        <li>{children}</li>
      ) : (
        <li class="task">
          {node.checked ? "☑ " : "☐ "}
          {children}
        </li>
      );
    case "table":
      return (
        <div class="wide" role="region" aria-label="Table" tabindex="0">
          <table>{children}</table>
        </div>
      );
    case "th":
    case "td":
      return jsx(node.tag, { ...(node.align && { class: `to-${node.align}` }), children });
    default:
      return jsx(node.tag, { children });
  }
}

/** Components are boxes with their content, everything else is its source. Comments are not shown. */
function piece({ piece, isBlock }: Extract<Prose, { tag: "mdx" }>, children: Child): Child {
  if (piece.kind === "comment") return null;
  if (piece.kind !== "component") return <CodeBox name={names[piece.kind]} source={piece.source} isBlock={isBlock} />;
  return (
    <Box name={piece.name || "Fragment"} details={detailsOf(piece.props)} isBlock={isBlock}>
      {children}
    </Box>
  );
}

function link(written: string, words: Child, blogUrl: string): Child {
  const address = linkAddress(written, blogUrl);
  if (!address) return <LinkBox href={written}>{words}</LinkBox>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {words}
    </a>
  );
}

/** Only our own files are loaded: external images could track the writer, and the policy forbids them anyway. */
function image({ src, alt }: { src: string; alt: string }, { pictures }: Around) {
  if (!isOwnFile(src)) return <ImageBox src={src} alt={alt} />;
  const [, , id = ""] = src.split("/");
  return <OwnImage src={src} alt={alt} dimensions={pictures.get(id)} />;
}

function detailsOf(props: Prop[]): string {
  const words = props.map(({ name, value }) => {
    if (value === undefined) return name;
    return value.startsWith("{") ? `${name}=${value}` : `${name}="${value}"`;
  });
  const all = words.join(" ").replace(/\s+/g, " ");
  return all.length > 200 ? `${all.slice(0, 199)}…` : all;
}
