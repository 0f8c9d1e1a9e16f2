/** A piece of rendered Markdown: text, or an element that Bun's parser knows. */
export type Node = string | Element;
export type Element = { tag: string; children: Node[]; props: Props };
/** What elements carry besides children; each only where it means something. */
type Props = Partial<Record<"href" | "src" | "alt" | "title" | "align", string>> & {
  start?: number;
  checked?: boolean;
};

/** MDX has neither HTML of its own (it has components) nor code by indentation. GFM's tables and lists stay. */
const options = { noHtmlBlocks: true, noHtmlSpans: true, noIndentedCodeBlocks: true };

/**
 * Markdown as a tree of plain objects, never as HTML: whoever shows it decides about every element, and there is no
 * string that somebody could forget to clean.
 */
export const parseMarkdown = (markdown: string): Node[] =>
  nodesIn(Bun.markdown.react(markdown, undefined, options) as unknown as ParserNode);

/** What the parser makes for React. */
type ParserNode = string | { type?: unknown; props: Record<string, unknown> & { children?: ParserNode[] } };

/** Without recursion: a text may nest as deep as it is long. */
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
