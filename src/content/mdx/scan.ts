import { endOfBraces, type Fault, type Tag, tagAt } from "./tag";

/**
 * A range of MDX in the source. `isAlone`: there is only MDX on its lines, so it is a block. `indent`: the prefix of a
 * further line in the same list or quote.
 */
type Span = { start: number; end: number; paragraph: number; isAlone: boolean; isFirst: boolean; indent: string };
export type Code = { kind: "import" | "export" | "expression" | "comment" };
export type Token = Span & (Tag | Code);

/** The most problems that are reported: more would help no one, and each costs time, which a hostile text could use. */
export const maxFaults = 20;
const maxIndent = 64; // columns of a list or quote; deeper content is moved out
const lead = /(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*/y; // the quotes and lists that a line is in
const fence = /(`{3,}(?=[^`\n]*(?:\n|$))|~{3,})/y;
const module = /(?<=^|\n[ \t]*\n)(?:import|export)(?=[ \t]*["'{*]|[ \t]+\w)/y;
const destination = /(?<=\]\()<[^<>\n]*>/y; // [a](<b c>)
const comment = /\s*\/\*[^]*?\*\//y;
const notable = /[\\`<{\n]/g;

/** Finds everything in a text that is MDX and not Markdown, in order, skipping code fences and code spans. */
export function scan(source: string): { tokens: Token[]; faults: Fault[] } {
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
