import { Box, CodeBox, ImageBox, LinkBox } from "../../views/components/prose";
import { type Child, type JSX, jsx } from "../../views/jsx/jsx-runtime";
import { type Element, type Node, parseMarkdown } from "./markdown";
import { marks, parseMdx, type Piece, type Problem } from "./mdx";
import type { Prop } from "./mdx-tag";

/** What readers would see, as far as Markdown goes, and what would break a build. */
type Preview = { prose: JSX.Element; problems: Problem[] };

/** Allow-list of elements and their children. Attributes are set below; anything not listed is dropped. */
const inlineTags = new Set(["strong", "em", "del", "code", "br"]);
const blockTags = new Set(["blockquote", "ul", "li", "hr", "thead", "tbody", "tr"]);
const schemes = new Set(["http:", "https:", "mailto:", "tel:"]);
const maxDepth = 64;
const maxBoxes = 5_000; // beyond this, pieces are shown as plain text: a box is fifty times as large as what it shows
/** Only the beginning of a long text is shown: laying it out costs a hundred times as much as reading it (P67). */
const limits = { characters: 100_000, nodes: 10_000 };
const names = { import: "Import", export: "Export", expression: "Expression", comment: "Comment" };

/** The context: within a line of text, or within a link, which cannot contain another. */
type Context = { isInline: boolean; isLink: boolean; depth: number };

/**
 * Shows an MDX body without executing any of it. Safe by construction: the parsers return trees, and this class creates
 * allowed elements from them with the escaping JSX runtime; the author's HTML exists at no point. @param blogUrl the
 * base of relative links
 */
export function preview(body: string, blogUrl: string): Preview {
  const { markdown, pieces, problems } = parseMdx(body);
  const walk = new Walk(pieces, blogUrl);
  return { prose: walk.whole(markdown), problems };
}

class Walk {
  private boxes = 0;
  private nodesLeft = limits.nodes;
  private charactersLeft = limits.characters;
  private addressesLeft = limits.characters; // in addresses made of MDX

  constructor(
    private readonly pieces: Piece[],
    private readonly blogUrl: string,
  ) {}

  whole(markdown: string): JSX.Element {
    const prose = this.document(markdown, { isInline: false, isLink: false, depth: 0 });
    if (this.nodesLeft > 0 && this.charactersLeft > 0) return prose;
    return (
      <>
        {prose}
        <p class="hint">The preview ends here. The post goes on.</p>
      </>
    );
  }

  private document(markdown: string, place: Context): JSX.Element {
    const nodes = parseMarkdown(this.within(markdown));
    const [only] = nodes;
    const isLine = place.isInline && nodes.length === 1 && typeof only === "object" && only.tag === "p";
    return <>{this.nodes(isLine ? only.children : nodes, place)}</>;
  }

  /** As much as fits: whole lines, if possible. */
  private within(markdown: string): string {
    const room = this.charactersLeft;
    this.charactersLeft = Math.max(0, room - markdown.length);
    if (markdown.length < room) return markdown;
    const line = markdown.lastIndexOf("\n", room);
    return markdown.slice(0, line > 0 ? line : room).replace(/\uE000\d*$/, ""); // never half of a mark
  }

  private nodes = (nodes: Node[], place: Context): Child => nodes.map((node) => this.node(node, place));

  private node(node: Node, place: Context): Child {
    if (--this.nodesLeft <= 0) return null;
    if (typeof node === "string") return this.text(node, place);
    if (place.depth > maxDepth) return "…";
    const inside = { ...place, depth: place.depth + 1 };
    const { tag } = node;
    if (tag === "a") return this.link(node, inside);
    if (tag === "img") return this.image(node);
    if (tag === "code") return <code>{this.source(node)}</code>;
    if (inlineTags.has(tag)) return element(tag, this.nodes(node.children, { ...inside, isInline: true }));
    return place.isInline ? [this.nodes(node.children, inside), " "] : this.block(node, inside);
  }

  private block(node: Element, place: Context): Child {
    const { tag, children, props } = node;
    const words = () => this.nodes(children, { ...place, isInline: true });
    const heading = /^h([1-6])$/.exec(tag);
    if (heading) return element(`h${Math.max(2, Number(heading[1]))}`, words()); // the page's title is the h1
    if (tag === "p") return this.lone(children, place) ?? <p>{words()}</p>;
    if (tag === "pre") return element("pre", <code>{this.source(node)}</code>);
    if (tag === "ol") return <ol start={String(Number(props.start ?? 1))}>{this.nodes(children, place)}</ol>;
    if (tag === "li" && props.checked !== undefined)
      return (
        <li class="task">
          {props.checked ? "☑ " : "☐ "}
          {this.nodes(children, place)}
        </li>
      );
    if (tag === "table")
      return (
        <div class="wide" role="region" aria-label="Table" tabindex="0">
          <table>{this.nodes(children, place)}</table>
        </div>
      );
    if (tag === "th" || tag === "td")
      return element(tag, words(), props.align && { class: `to-${String(props.align)}` });
    return blockTags.has(tag) ? element(tag, this.nodes(children, place)) : this.nodes(children, place);
  }

  /** A paragraph that consists of a single MDX block is not shown as a paragraph. */
  private lone(children: Node[], place: Context): Child | undefined {
    const [only, ...more] = children;
    if (typeof only !== "string" || more.length) return undefined;
    const [before, number, after] = only.split(marks);
    if (number === undefined || before?.trim() || after?.trim() || only.split(marks).length > 3) return undefined;
    const piece = this.pieces[Number(number)];
    return piece?.isBlock ? this.piece(piece, place) : undefined;
  }

  /** Text, with the pieces of MDX in it. */
  private text = (text: string, place: Context): Child =>
    text.split(marks).map((part, i) => {
      const piece = i % 2 ? this.pieces[Number(part)] : undefined;
      return piece ? this.piece(piece, { ...place, isInline: place.isInline || !piece.isBlock }) : part;
    });

  private piece(piece: Piece, place: Context): Child {
    const isBlock = piece.isBlock && !place.isInline;
    const { kind, source } = piece;
    if (kind === "comment") return null;
    if (++this.boxes > maxBoxes) return source;
    if (kind !== "component") return <CodeBox name={names[kind]} source={source} isBlock={isBlock} />;
    if (place.depth > maxDepth) return "…";
    return (
      <Box name={piece.name || "Fragment"} details={detailsOf(piece.props)} isBlock={isBlock}>
        {this.document(piece.markdown, { ...place, isInline: !isBlock, depth: place.depth + 1 })}
      </Box>
    );
  }

  private link({ children, props }: Element, place: Context): Child {
    const words = this.nodes(children, { ...place, isInline: true, isLink: true });
    if (place.isLink) return words;
    const written = this.restoredAddress(props.href);
    const address = this.addressOf(written);
    if (!address) return <LinkBox href={written}>{words}</LinkBox>;
    return (
      <a href={address} target="_blank" rel="noopener noreferrer">
        {words}
      </a>
    );
  }

  /** Only our own files are loaded: external images could track the writer, and the policy forbids them anyway. */
  private image({ props }: Element): Child {
    const [src, alt] = [this.restoredAddress(props.src), this.restored(props.alt ?? "")];
    return isOwnFile(src) ? <img src={src} alt={alt} loading="lazy" /> : <ImageBox src={src} alt={alt} />;
  }

  private addressOf(href: string): string | undefined {
    const url = URL.parse(href, this.blogUrl);
    return url && schemes.has(url.protocol) ? url.href : undefined;
  }

  /** Code is shown as written, including marks. */
  private source = ({ children }: Element): string =>
    this.restored(children.map((child) => (typeof child === "string" ? child : "")).join(""));

  /** Any number of links can refer to one address, whose mark stands for up to a million characters (P67). */
  private restoredAddress(written = ""): string {
    if (this.addressesLeft <= 0 && marks.test(written)) return "…";
    const address = this.restored(written);
    this.addressesLeft -= address.length;
    return address;
  }

  private restored = (text: string) =>
    text
      .split(marks)
      .map((part, i) => (i % 2 ? (this.pieces[Number(part)]?.source ?? "") : part))
      .join("");
}

const element = (tag: string, children: Child, attributes: Record<string, unknown> | "" | undefined = {}) =>
  jsx(tag, { ...(attributes || {}), children });

/** A permanent URL of Storage. Not any URL of ours, because requesting some of them has effects. */
export const isOwnFile = (src: string) => /^\/media\/[\w-]+\/[\w.%~!'()*-]+$/.test(src) && !src.includes("..");

function detailsOf(props: Prop[]): string {
  const words = props.map(({ name, value }) => {
    if (value === undefined) return name;
    return value.startsWith("{") ? `${name}=${value}` : `${name}="${value}"`;
  });
  const all = words.join(" ").replace(/\s+/g, " ");
  return all.length > 200 ? `${all.slice(0, 199)}…` : all;
}
