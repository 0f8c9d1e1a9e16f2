import { marks, parseMdx, type Piece, type Problem } from "./mdx";

/** A node of rendered Markdown: text, or an element known to Bun's parser. */
type Node = string | Element;
type Element = { tag: string; children: Node[]; props: Props };
/** The attributes of elements, each where it applies. */
type Props = Partial<Record<"href" | "src" | "alt" | "title" | "align", string>> & {
  start?: number;
  checked?: boolean;
};

/** MDX has neither raw HTML (it has components) nor indented code. GFM's tables and lists are kept. */
const options = { noHtmlBlocks: true, noHtmlSpans: true, noIndentedCodeBlocks: true };

/**
 * Parses Markdown into a tree of plain objects, never into HTML: the renderer decides about every element, and there is
 * no string that someone could forget to sanitise.
 */
const parseMarkdown = (markdown: string): Node[] =>
  nodesIn(Bun.markdown.react(markdown, undefined, options) as unknown as ParserNode);

/** What the parser creates for React. */
type ParserNode = string | { type?: unknown; props: Record<string, unknown> & { children?: ParserNode[] } };

/** Without recursion: a text may nest as deeply as it is long. */
function nodesIn(document: ParserNode): Node[] {
  const root: Node[] = [];
  const work: [from: ParserNode[], into: Node[]][] = [[childrenOf(document), root]];
  for (let next = work.pop(); next; next = work.pop()) {
    const [from, into] = next;
    for (const made of from) {
      const last = into.length - 1;
      if (typeof made === "string") {
        if (typeof into[last] === "string") into[last] += made;
        else into.push(made);
        continue;
      }
      const element: Element = { tag: String(made.type), children: [], props: made.props as Props };
      into.push(element);
      work.push([childrenOf(made), element.children]);
    }
  }
  return root;
}

const childrenOf = (made: ParserNode): ParserNode[] =>
  typeof made === "string" ? [made] : (made.props.children ?? []);

const schemes = new Set(["http:", "https:", "mailto:", "tel:"]);

/** Returns the URL of a link; undefined if no reader should follow it. */
export function linkAddress(written: string, base: string): string | undefined {
  const url = URL.parse(written, base);
  return url && schemes.has(url.protocol) ? url.href : undefined;
}

/** A permanent URL of Storage. Not any URL of ours, because requesting some of them has effects. */
export const isOwnFile = (src: string) => /^\/media\/[\w-]+\/[\w.%~!'()*-]+$/.test(src) && !src.includes("..");

/** Elements whose meaning is their tag alone. Headings are h2 to h6: the title of the page or email is its h1. */
type PlainTag =
  | ("p" | "h2" | "h3" | "h4" | "h5" | "h6" | "blockquote" | "ul" | "hr" | "pre")
  | ("table" | "thead" | "tbody" | "tr" | "strong" | "em" | "del" | "code" | "br");
/** A node of the tree that is rendered: Markdown and MDX, with URLs as written. */
export type Prose =
  | string
  | { tag: PlainTag; children: Prose[] }
  | { tag: "ol"; start: number; children: Prose[] }
  | { tag: "li"; checked: boolean | undefined; children: Prose[] }
  | { tag: "th" | "td"; align: string | undefined; children: Prose[] }
  | { tag: "a"; href: string; children: Prose[] }
  | { tag: "img"; src: string; alt: string }
  | { tag: "mdx"; piece: Piece; isBlock: boolean; children: Prose[] };

/** How much of a text is read. `boxes` bounds the pieces of MDX; further ones become text. */
type Limits = { characters: number; nodes: number; boxes: number };
type ProseTree = { nodes: Prose[]; problems: Problem[]; isCut: boolean };

/** Allow-list of elements and their children. Attributes are set below; anything not listed is dropped. */
const isInline = (tag: string): tag is "strong" | "em" | "del" | "br" => /^(strong|em|del|br)$/.test(tag);
const isBlock = (tag: string): tag is "blockquote" | "ul" | "hr" | "thead" | "tbody" | "tr" =>
  /^(blockquote|ul|hr|thead|tbody|tr)$/.test(tag);
const headings = new Map<string, PlainTag>([
  ["h1", "h2"],
  ["h2", "h2"],
  ["h3", "h3"],
  ["h4", "h4"],
  ["h5", "h5"],
  ["h6", "h6"],
]);
const maxDepth = 64;

/** The context: within a line of text, or within a link, which cannot contain another. */
type Context = { isInline: boolean; isLink: boolean; depth: number };

/**
 * Reads an MDX body without executing any of it. Every renderer (preview, email, plain text, archive page) works on
 * this tree, so none of them parses, and none can show what another one hides.
 *
 * @param isWord as for `parseMdx`
 */
export function proseOf(body: string, limits: Limits, isWord?: (source: string) => boolean): ProseTree {
  const { markdown, pieces, problems } = parseMdx(body, isWord);
  const walk = new Walk(pieces, limits);
  return { nodes: walk.document(markdown), problems, isCut: walk.isCut };
}

class Walk {
  private boxesLeft: number;
  private nodesLeft: number;
  private charactersLeft: number;
  private addressesLeft: number; // in addresses made of MDX

  constructor(
    private readonly pieces: Piece[],
    { characters, nodes, boxes }: Limits,
  ) {
    [this.boxesLeft, this.nodesLeft] = [boxes, nodes];
    [this.charactersLeft, this.addressesLeft] = [characters, characters];
  }

  get isCut() {
    return this.nodesLeft <= 0 || this.charactersLeft <= 0;
  }

  document(markdown: string, place: Context = { isInline: false, isLink: false, depth: 0 }): Prose[] {
    const nodes = parseMarkdown(this.within(markdown));
    const [only] = nodes;
    const isLine = place.isInline && nodes.length === 1 && typeof only === "object" && only.tag === "p";
    return this.nodes(isLine ? only.children : nodes, place);
  }

  /** As much as fits: whole lines, if possible. */
  private within(markdown: string): string {
    const left = this.charactersLeft;
    this.charactersLeft = Math.max(0, left - markdown.length);
    if (markdown.length < left) return markdown;
    const line = markdown.lastIndexOf("\n", left);
    return markdown.slice(0, line > 0 ? line : left).replace(/\uE000\d*$/, ""); // never half of a mark
  }

  private nodes = (nodes: Node[], place: Context): Prose[] => nodes.flatMap((node) => this.node(node, place));

  private node(node: Node, place: Context): Prose | Prose[] {
    if (--this.nodesLeft <= 0) return [];
    if (typeof node === "string") return this.text(node, place);
    if (place.depth > maxDepth) return "…";
    const inside = { ...place, depth: place.depth + 1 };
    const { tag } = node;
    if (tag === "a") return this.link(node, inside);
    if (tag === "img") return this.image(node);
    if (tag === "code") return { tag, children: [this.source(node)] };
    if (isInline(tag)) return { tag, children: this.nodes(node.children, { ...inside, isInline: true }) };
    return place.isInline ? [...this.nodes(node.children, inside), " "] : this.block(node, inside);
  }

  private block({ tag, children, props }: Element, place: Context): Prose | Prose[] {
    const words = () => this.nodes(children, { ...place, isInline: true });
    const heading = headings.get(tag);
    if (heading) return { tag: heading, children: words() };
    if (tag === "p") return this.lone(children, place) ?? { tag, children: words() };
    if (tag === "pre") return { tag, children: [this.source({ tag, children, props })] };
    if (tag === "ol") return { tag, start: Number(props.start ?? 1), children: this.nodes(children, place) };
    if (tag === "li") return { tag, checked: props.checked, children: this.nodes(children, place) };
    if (tag === "table") return { tag, children: this.nodes(children, place) };
    if (tag === "th" || tag === "td") return { tag, align: props.align, children: words() };
    const inside = this.nodes(children, place);
    return isBlock(tag) ? { tag, children: inside } : inside;
  }

  /** A paragraph that consists of a single MDX block is not shown as a paragraph. */
  private lone(children: Node[], place: Context): Prose | undefined {
    const [only, ...more] = children;
    if (typeof only !== "string" || more.length) return undefined;
    const [before, number, after] = only.split(marks);
    if (number === undefined || before?.trim() || after?.trim() || only.split(marks).length > 3) return undefined;
    const piece = this.pieces[Number(number)];
    return piece?.isBlock ? this.piece(piece, place) : undefined;
  }

  /** Text, with the pieces of MDX in it. */
  private text = (text: string, place: Context): Prose[] =>
    text.split(marks).map((part, i) => {
      const piece = i % 2 ? this.pieces[Number(part)] : undefined;
      return piece ? this.piece(piece, { ...place, isInline: place.isInline || !piece.isBlock }) : part;
    });

  private piece(piece: Piece, place: Context): Prose {
    const isBlock = piece.isBlock && !place.isInline;
    if (piece.kind === "comment") return { tag: "mdx", piece, isBlock, children: [] };
    if (--this.boxesLeft < 0) return piece.source;
    if (piece.kind !== "component") return { tag: "mdx", piece, isBlock, children: [] };
    if (place.depth > maxDepth) return "…";
    const inside = { ...place, isInline: !isBlock, depth: place.depth + 1 };
    return { tag: "mdx", piece, isBlock, children: this.document(piece.markdown, inside) };
  }

  private link({ children, props }: Element, place: Context): Prose | Prose[] {
    const words = this.nodes(children, { ...place, isInline: true, isLink: true });
    return place.isLink ? words : { tag: "a", href: this.restoredAddress(props.href), children: words };
  }

  private image = ({ props }: Element): Prose => ({
    tag: "img",
    src: this.restoredAddress(props.src),
    alt: this.restored(props.alt ?? ""),
  });

  /** Code is shown as written, including marks. */
  private source = ({ children }: Element): string =>
    this.restored(children.map((child) => (typeof child === "string" ? child : "")).join(""));

  /** Any number of links can refer to one address, whose mark stands for up to a million characters. */
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
