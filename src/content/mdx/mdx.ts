import { type Code, maxFaults, scan, type Token } from "./scan";
import type { Fault, Prop } from "./tag";

/**
 * A piece of MDX, never executed here. `markdown` is the content of a component, without nested pieces; `start` is its
 * offset in the body.
 */
export type Piece = { source: string; start: number; isBlock: boolean } & (
  { kind: "component"; name: string; props: Prop[]; markdown: string } | Code
);
/** What would break a build of this text. Lines and columns count from 1, the offset in UTF-16 units from 0. */
export type Problem = Fault & { line: number; column: number };
/** A parsed body: Markdown with a mark for each piece, the pieces, and the problems. */
type Mdx = { markdown: string; pieces: Piece[]; problems: Problem[] };

type Frame = { open?: Opening; parts: string[] };
type Opening = Extract<Token, { kind: "open" }>;
type Closing = Extract<Token, { kind: "close" }>;

/** The mark of a piece, in private-use characters, which are removed from the text first. */
const markOf = (piece: number) => `\uE000${piece}\uE001`;
export const marks = /\uE000(\d+)\uE001/;
export const withoutMarks = (text: string) => text.replace(/[\uE000\uE001]/g, "\uFFFD");

/**
 * Splits MDX as its compiler does, without compiling: a component is a block if its tags are on lines of their own,
 * otherwise part of a paragraph. Takes linear time for any text and never throws.
 *
 * @param isWord says which expressions are words of a line, even alone on it
 */
export function parseMdx(body: string, isWord: (source: string) => boolean = () => false): Mdx {
  const source = withoutMarks(body.replace(/\r\n?/g, "\n"));
  const { tokens, faults } = scan(source);
  if (/^---\n[\w-]+:/.test(source))
    faults.push({ message: "Front matter is not allowed here. Use the fields of the form.", offset: 0 });
  const tree = new Tree(source, faults, isWord);
  for (const token of tokens) tree.take(token);
  const markdown = tree.finish();
  const first = faults.sort((a, b) => a.offset - b.offset).slice(0, maxFaults);
  return { markdown, pieces: tree.pieces, problems: first.map((fault) => ({ ...fault, ...placeOf(source, fault) })) };
}

function placeOf(source: string, { offset }: Fault) {
  const before = source.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

class Tree {
  readonly pieces: Piece[] = [];
  private readonly frames: [Frame, ...Frame[]] = [{ parts: [] }];
  private cursor = 0;

  constructor(
    private readonly source: string,
    private readonly faults: Fault[],
    private readonly isWord: (source: string) => boolean,
  ) {}

  take(token: Token) {
    this.write(this.source.slice(this.cursor, token.start));
    this.cursor = token.end;
    if (token.kind === "open") this.frames.push({ open: token, parts: [] });
    else if (token.kind === "close") this.close(token);
    else if (token.kind === "whole") this.add(token, { ...token, kind: "component", markdown: "" });
    else this.add(token, token);
  }

  /** Returns the outermost text. Tags that are still open become text. */
  finish(): string {
    this.write(this.source.slice(this.cursor));
    this.dissolveAbove(0);
    return this.frames[0].parts.join("");
  }

  private top = (): Frame => this.frames.at(-1) ?? this.frames[0];
  private write = (text: string) => this.top().parts.push(text);
  private textOf = ({ start, end }: Token) => this.source.slice(start, end);

  private close(token: Closing) {
    const { faults, frames } = this;
    const isPatient = faults.length < maxFaults; // finding the partner of a stray tag takes time
    const partner = isPatient ? frames.findLastIndex(({ open }) => open?.name === token.name) : -1;
    if (partner < 0) {
      if (isPatient) faults.push({ message: `${tagOf(token)} has no matching opening tag.`, offset: token.start });
      return this.write(this.textOf(token));
    }
    this.dissolveAbove(partner, token);
    const { open, parts } = frames.pop() ?? { parts: [] };
    if (!open) return;
    const message = mismatch(open, token);
    if (message) faults.push({ message, offset: token.start });
    const markdown = withoutIndent(parts.join(""), open.indent);
    this.add(open, { ...open, kind: "component", markdown }, token.end);
  }

  /** Turns the tags of unclosed components into text again, and moves their contents up. */
  private dissolveAbove(index: number, before?: Token) {
    for (const { open, parts } of this.frames.splice(index + 1)) {
      if (!open) continue;
      if (this.faults.length < maxFaults) this.faults.push({ message: unclosed(open, before), offset: open.start });
      for (const part of [this.textOf(open), ...parts]) this.write(part);
    }
  }

  /** A block gets a paragraph of its own, in the list or quote that contains it. */
  private add(token: Token, piece: DistributiveOmit<Piece, "source" | "isBlock">, end = token.end) {
    const source = this.source.slice(token.start, end);
    const isBlock = token.isAlone && !(token.kind === "expression" && this.isWord(source));
    const mark = markOf(this.pieces.push({ ...piece, source, isBlock }) - 1);
    const line = `\n${token.indent}`;
    this.write(isBlock ? `${token.isFirst ? "" : line}${mark}${line}` : mark);
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

const tagOf = ({ name, kind }: Opening | Closing) => `<${kind === "close" ? "/" : ""}${name}>`;

function unclosed(open: Opening, before?: Token) {
  const tag = tagOf(open);
  if (before?.kind === "close") return `${tag} is not closed before </${before.name}>.`;
  return open.props.length || !open.name
    ? `${tag} is never closed. Add </${open.name}>.`
    : `${tag} is never closed. Add </${open.name}>, or write <${open.name} /> if it is empty.`;
}

/** MDX pairs tags within one paragraph, or tags on lines of their own, but never across. */
function mismatch(open: Opening, close: Closing): string | undefined {
  if (open.isAlone && !close.isAlone) return `Put ${tagOf(close)} on its own line, as ${tagOf(open)} is.`;
  if (!open.isAlone && (close.isAlone || open.paragraph !== close.paragraph))
    return `${tagOf(open)} starts inside a paragraph. Close it in the same paragraph, or put it on its own line.`;
  return undefined;
}

/** Returns the lines without the prefix of the surrounding list or quote. */
const withoutIndent = (text: string, { length }: string) =>
  length ? text.replace(new RegExp(`(?<=\n)[ \t>]{1,${length}}`, "g"), "") : text;
