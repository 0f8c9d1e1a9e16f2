/** A link of each recipient's own. */
const linkFields = ["unsubscribe_url", "preferences_url", "leave_topic_url"] as const;
type LinkField = (typeof linkFields)[number];

export const isLinkField = (field: string): field is LinkField => linkFields.some((one) => one === field);

/**
 * A merge field. `before` is the space that belongs to the value: "Hello {name}," becomes "Hello," without a name. `own`
 * is a field of the site's own, by its key; `topic_url` the reader's own page with a topic ticked, of which the fallback
 * is the name.
 */
export type MergeField =
  | { field: "name" | "email" | LinkField; fallback: string; before?: string }
  | { field: "own"; key: string; fallback: string; before?: string }
  | { field: "topic_url"; topic: string; fallback: string; before?: string };

type PlainTag =
  | ("p" | "h2" | "h3" | "h4" | "h5" | "h6" | "blockquote" | "ul" | "hr" | "pre")
  | ("table" | "thead" | "tbody" | "tr" | "strong" | "em" | "del" | "code" | "br");

/**
 * A node of a broadcast's text, without MDX and with absolute URLs. The email, its plain text and the archive page are
 * made from this tree. It is stored as JSON (`broadcast_letters.page`), and therefore never trusted as HTML.
 */
export type LetterNode =
  | string
  | MergeField
  | { tag: PlainTag; children: LetterNode[] }
  | { tag: "ol"; start: number; children: LetterNode[] }
  | { tag: "li"; checked?: boolean; children: LetterNode[] }
  | { tag: "th" | "td"; align?: string; children: LetterNode[] }
  | { tag: "a"; href: string; children: LetterNode[] }
  | { tag: "img"; src: string; alt: string; width?: number; height?: number }; // of a file in Storage, if they are known

/** How a cell of a table is aligned, if it is not as all text: the tree is stored, and a style never takes other words. */
export const alignmentOf = ({ align }: { align?: string }): "right" | "center" | undefined =>
  align === "right" || align === "center" ? align : undefined;
