/** A node of rendered Markdown: text, or an element known to Bun's parser. */
export type Node = string | Element;
export type Element = { tag: string; children: Node[]; props: Props };
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
export const parseMarkdown = (markdown: string): Node[] =>
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
