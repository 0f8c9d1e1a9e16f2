import { endOfBraces, type Fault, type Prop, type Tag, tagAt } from "./tag";

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

/**
 * A range of MDX in the source. `isAlone`: there is only MDX on its lines, so it is a block. `indent`: the prefix of a
 * further line in the same list or quote.
 */
type Span = { start: number; end: number; paragraph: number; isAlone: boolean; isFirst: boolean; indent: string };
type Code = { kind: "import" | "export" | "expression" | "comment" };
type Token = Span & (Tag | Code);

/** The most problems that are reported: more would help no one, and each costs time, which a hostile text could use. */
const maxFaults = 20;
const maxIndent = 64; // columns of a list or quote; deeper content is moved out
const lead = /(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*/y; // the quotes and lists that a line is in
const fence = /(`{3,}(?=[^`\n]*(?:\n|$))|~{3,})/y;
const module = /(?<=^|\n[ \t]*\n)(?:import|export)(?=[ \t]*["'{*]|[ \t]+\w)/y;
const destination = /(?<=\]\()<[^<>\n]*>/y; // [a](<b c>)
const comment = /\s*\/\*[^]*?\*\//y;
const notable = /[\\`<{\n]/g;

/** Finds everything in a text that is MDX and not Markdown, in order, skipping code fences and code spans. */
function scan(source: string): { tokens: Token[]; faults: Fault[] } {
  const scanner = new Scanner(source);
  while (scanner.at < source.length && scanner.faults.length < maxFaults) scanner.step();
  return { tokens: withNeighbours(source, scanner.tokens), faults: scanner.faults };
}

class Scanner {
  at = 0;
  readonly tokens: Token[] = [];
  readonly faults: Fault[] = [];
  private paragraph = 0;
  private bareTicks = new Set<number>(); // lengths of backtick runs that are not closed in this paragraph

  constructor(private readonly source: string) {}

  /** Advances to the next line, or to the next significant character. */
  step() {
    if (this.isAtLineStart() && (this.codeFence() || this.moduleCode())) return;
    notable.lastIndex = this.at;
    const match = notable.exec(this.source);
    this.at = match?.index ?? this.source.length;
    if (match?.[0] === "\\") this.at += 2;
    if (match?.[0] === "\n") this.newLine();
    if (match?.[0] === "`") this.codeSpan();
    if (match?.[0] === "<") this.tag();
    if (match?.[0] === "{") this.expression();
  }

  private isAtLineStart = () => this.at === 0 || this.source[this.at - 1] === "\n";

  private newLine() {
    this.at++;
    if (/^[ \t>]*$/.test(this.lineAt(this.at))) {
      this.paragraph++;
      this.bareTicks.clear();
    }
  }

  private lineAt(start: number): string {
    const end = this.source.indexOf("\n", start);
    return this.source.slice(start, end < 0 ? undefined : end);
  }

  /** Skips a whole block of code. */
  private codeFence(): boolean {
    const { source } = this;
    const start = this.at + match(lead, source, this.at).length;
    const marks = match(fence, source, start);
    if (!marks) return false;
    const close = new RegExp(`^[ \\t>]*${marks[0]}{${marks.length},}[ \\t]*$`);
    for (let line = source.indexOf("\n", start); line >= 0; line = source.indexOf("\n", line + 1))
      if (close.test(this.lineAt(line + 1))) {
        const end = source.indexOf("\n", line + 1);
        this.at = end < 0 ? source.length : end;
        return true;
      }
    this.faults.push({ message: `This code block is never closed. Add a line with ${marks}.`, offset: start });
    this.at = source.length;
    return true;
  }

  /** import and export begin a paragraph and extend to its end, including blank lines in braces. */
  private moduleCode(): boolean {
    const { source, at: start } = this;
    const kind = match(module, source, start);
    if (kind !== "import" && kind !== "export") return false;
    const stops = /\{|\n[ \t]*(?=\n|$)/g;
    stops.lastIndex = start;
    let stop = stops.exec(source);
    for (; stop?.[0] === "{"; stop = stops.exec(source)) stops.lastIndex = this.braces(stop.index) ?? source.length;
    const end = stop?.index ?? source.length;
    if (kind === "import" && !/^import\b[^]*["'][^"'\n]+["']/.test(source.slice(start, end)))
      this.faults.push({ message: "MDX reads a paragraph that begins with “import” as code.", offset: start });
    this.add({ kind }, start, end);
    return true;
  }

  private codeSpan() {
    const ticks = match(/`+/y, this.source, this.at);
    const from = this.at + ticks.length;
    this.at = from;
    if (this.bareTicks.has(ticks.length)) return;
    const others = /`+|\n[ \t]*(?=\n)/g;
    others.lastIndex = from;
    for (let run = others.exec(this.source); run && !run[0].startsWith("\n"); run = others.exec(this.source))
      if (run[0].length === ticks.length) {
        this.at = others.lastIndex;
        return;
      }
    this.bareTicks.add(ticks.length);
  }

  private tag() {
    const start = this.at;
    if (/\s/.test(this.source[start + 1] ?? "")) return void this.at++; // 1 < 2
    const address = match(destination, this.source, start);
    if (address) return void (this.at += address.length);
    const read = tagAt(this.source, start);
    if ("message" in read) {
      this.faults.push(read);
      this.at = Math.max(start + 1, read.offset);
      if (this.source[this.at] === "{") this.at++; // already reported
    } else this.add(read, start, read.end);
  }

  private expression() {
    const start = this.at;
    const end = this.braces(start);
    if (!end) return;
    this.add({ kind: isComment(this.source.slice(start, end)) ? "comment" : "expression" }, start, end);
  }

  /** After an unclosed brace everything is unreadable code, so the scan ends there. */
  private braces(start: number): number | undefined {
    const end = endOfBraces(this.source, start);
    if (end) return end;
    this.faults.push({ message: "This { is never closed. To show the character, write \\{.", offset: start });
    this.at = this.source.length;
    return undefined;
  }

  private add(what: Tag | Code, start: number, end: number) {
    this.tokens.push({ ...what, start, end, paragraph: this.paragraph, isAlone: false, isFirst: false, indent: "" });
    this.at = end;
  }
}

/** Determines for each token what else is on its lines, examining each gap once. */
function withNeighbours(source: string, tokens: Token[]): Token[] {
  let before: Token | undefined;
  for (const token of tokens) {
    const gap = source.slice(before?.end ?? 0, token.start);
    const line = gap.slice(gap.lastIndexOf("\n") + 1);
    const isFirst = !before || line.length < gap.length;
    const prefix = isFirst ? match(lead, line, 0) : (before?.indent ?? "");
    token.isAlone = isFirst ? prefix === line : Boolean(before?.isAlone) && !line.trim();
    token.isFirst = isFirst && /[^ \t>]/.test(prefix);
    token.indent = prefix.length > maxIndent ? "" : prefix.replace(/[^ \t>]/g, " ");
    before = token;
  }
  let after = source.length;
  for (const [i, token] of [...tokens.entries()].reverse()) {
    const gap = source.slice(token.end, after);
    const line = gap.split("\n", 1)[0] ?? "";
    const next = line.length < gap.length ? undefined : tokens[i + 1];
    token.isAlone &&= !line.trim() && (next?.isAlone ?? true);
    after = token.start;
  }
  return tokens;
}

/**
 * Whether the braces contain only comments, or nothing. Checks one comment at a time: a pattern for all of them could
 * try every division.
 */
function isComment(braces: string): boolean {
  let at = 1;
  for (let one = match(comment, braces, at); one; one = match(comment, braces, at)) at += one.length;
  return /^\s*\}$/.test(braces.slice(at));
}

function match(pattern: RegExp, source: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0] ?? "";
}
