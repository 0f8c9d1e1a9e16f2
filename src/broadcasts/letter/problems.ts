import type { Piece, Problem as MdxProblem } from "../../content/mdx/mdx";

/**
 * What a manager should know about a text before it is sent. `part` is the broadcast's own text, or the post below it.
 */
export type LetterProblem = {
  code:
    | ("unseen" | "mdx" | "no-alt" | "outside-image" | "refused-image" | "refused-link" | "local-link")
    | ("field-in-address" | "no-fallback" | "no-value" | "no-web-page")
    | ("unknown-field" | "unknown-topic" | "unknown-in-line");
  part: "subject" | "preheader" | "text" | "post";
  line?: number;
  /** The offset in the text, in UTF-16 units. */
  at?: number;
  /** The piece of MDX, the URL, or the message of the MDX scanner. */
  what: string;
  kind?: Piece["kind"];
};

const maxProblems = 50; // per text
const maxShown = 200; // characters of a piece

/** Collects the problems of one text, with their lines. */
export class Problems {
  readonly found: LetterProblem[] = [];
  private readonly cursors = new Map<string, number>();

  constructor(
    private readonly source: string,
    private readonly part: LetterProblem["part"],
  ) {}

  /** Something that breaks the build of a post; recipients see the text around it. */
  mdx({ message, line, offset }: MdxProblem) {
    this.add({ code: "mdx", line, at: offset, what: message });
  }

  /** @param isUnknown it is written as a merge field, but names none */
  unseen({ kind, source, start }: Piece, isUnknown?: "field" | "topic") {
    if (this.found.length >= maxProblems) return;
    const code = isUnknown && this.part === "text" ? (`unknown-${isUnknown}` as const) : "unseen";
    this.add({ code, kind, line: this.lineAt(start), at: start, what: source });
  }

  /**
   * Markdown's tree has no line numbers, so the URL is searched for as it was written, one occurrence after another.
   *
   * @param needle what is searched for first
   */
  report(code: LetterProblem["code"], address: string, { what = address, needle = address } = {}) {
    if (this.found.length >= maxProblems) return;
    const at = this.placeOf(needle) ?? this.placeOf(address);
    this.add({ code, what, ...(at !== undefined && { line: this.lineAt(at), at }) });
  }

  private placeOf(text: string): number | undefined {
    const needle = text.slice(0, 1_000);
    const at = this.source.indexOf(needle, this.cursors.get(needle) ?? 0);
    if (at < 0) return undefined;
    this.cursors.set(needle, at + 1);
    return at;
  }

  private add(problem: Omit<LetterProblem, "part">) {
    if (this.found.length >= maxProblems) return;
    this.found.push({ part: this.part, ...problem, what: problem.what.slice(0, maxShown) });
  }

  private lineAt = (offset: number) => this.source.slice(0, offset).split("\n").length;
}
