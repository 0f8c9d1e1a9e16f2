/** A merge field. `before` is the space that goes with the value: "Hello {name}," is "Hello," without a name. */
export type MergeField = { field: "name" | "email" | "unsubscribe_url"; fallback: string; before?: string };

type PlainTag =
  | ("p" | "h2" | "h3" | "h4" | "h5" | "h6" | "blockquote" | "ul" | "hr" | "pre")
  | ("table" | "thead" | "tbody" | "tr" | "strong" | "em" | "del" | "code" | "br");

/**
 * A node of a broadcast's text: no MDX any more, every address absolute. The email, its plain text and the page of the
 * archive are made from this tree, which is stored as JSON (`broadcast_letters.page`) and so never vouched for.
 */
export type LetterNode =
  | string
  | MergeField
  | { tag: PlainTag; children: LetterNode[] }
  | { tag: "ol"; start: number; children: LetterNode[] }
  | { tag: "li"; checked?: boolean; children: LetterNode[] }
  | { tag: "th" | "td"; align?: string; children: LetterNode[] }
  | { tag: "a"; href: string; children: LetterNode[] }
  | { tag: "img"; src: string; alt: string };
