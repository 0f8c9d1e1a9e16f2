import { plural } from "../../components/list";
import type { Child } from "../../jsx/jsx-runtime";

/** A run of pieces that both texts contain, or only one of them. */
export type Run = { kind: "same" | "old" | "new"; pieces: string[] };

// Pairs of pieces that are compared: some 20 ms and half of one. Beyond that, the middle is shown as replaced
const maxPairs = { lines: 4_000_000, words: 100_000 };

/** Compares two texts line by line. */
export const diffLines = (before: string, after: string) => diff(before.split("\n"), after.split("\n"), maxPairs.lines);
/** Compares two texts word by word. White space and punctuation between words count too. */
export const diffWords = (before: string, after: string) =>
  diff(before.split(/(\s+)/), after.split(/(\s+)/), maxPairs.words);

/** The longest common subsequence, after removing the common beginning and end. */
function diff(a: string[], b: string[], limit: number): Run[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [old, fresh] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  return joined([
    { kind: "same", pieces: a.slice(0, start) },
    ...(old.length * fresh.length > limit ? replaced(old, fresh) : compared(old, fresh)),
    { kind: "same", pieces: end ? a.slice(-end) : [] },
  ]);
}

const replaced = (a: string[], b: string[]): Run[] => [
  { kind: "old", pieces: a },
  { kind: "new", pieces: b },
];

function compared(a: string[], b: string[]): Run[] {
  const common = commonLengths(a, b);
  const runs: Run[] = [];
  const take = (kind: Run["kind"], piece = "") => runs.push({ kind, pieces: [piece] });
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length)
    if (a[i] === b[j]) take("same", a[(j++, i++)]);
    else if (common(i + 1, j) >= common(i, j + 1)) take("old", a[i++]);
    else take("new", b[j++]);
  return [...runs, ...replaced(a.slice(i), b.slice(j))];
}

/** The number of common pieces, in order, of `a` from i on and `b` from j on. */
function commonLengths(a: string[], b: string[]): (i: number, j: number) => number {
  const width = b.length + 1;
  const table = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => table[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      table[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  return at;
}

/** Merges neighbouring runs of one kind, drops empty ones, and puts the old before the new. */
function joined(runs: Run[]): Run[] {
  const result: Run[] = [];
  for (const { kind, pieces } of runs.filter((run) => run.pieces.length)) {
    const alike =
      kind === "same" ? result.at(-1) : result.slice(-2).find((run) => run.kind === kind && follows(result, run));
    if (alike?.kind === kind) alike.pieces.push(...pieces);
    else if (kind === "old" && result.at(-1)?.kind === "new") result.splice(-1, 0, { kind, pieces: [...pieces] });
    else result.push({ kind, pieces: [...pieces] });
  }
  return result;
}

/** Whether nothing in common came after this run. */
const follows = (runs: Run[], run: Run) => runs.slice(runs.indexOf(run)).every(({ kind }) => kind !== "same");

const around = 2; // unchanged lines shown before and after a change
const maxShown = 5_000; // lines of a change; further ones are counted
const maxMarked = 200; // lines of a change that are compared word by word
const maxUnchangedLength = 160; // characters shown of an unchanged line

type ChangedProps = { kind: "old" | "new"; lines: string[]; counterpart: string[] };

function Changed({ kind, lines, counterpart }: ChangedProps) {
  const Tag = kind === "old" ? "del" : "ins";
  const hidden = lines.length - maxShown;
  return (
    <>
      {lines.slice(0, maxShown).map((line, at) => (
        <Tag>
          <span class="sr">{kind === "old" ? "Removed: " : "Added: "}</span>
          {marked(kind, line, at < maxMarked ? counterpart[at] : undefined)}
          {line === "" && " "}
        </Tag>
      ))}
      {hidden > 0 && (
        <span class="gap">
          {hidden} more {hidden === 1 ? "line" : "lines"} {kind === "old" ? "removed" : "added"}
        </span>
      )}
    </>
  );
}

/** Highlights the words of a line that its counterpart lacks, unless those are nearly all of them. */
function marked(kind: "old" | "new", line: string, other: string | undefined): Child {
  if (!other) return line;
  const runs = kind === "old" ? diffWords(line, other) : diffWords(other, line);
  const own = runs.filter((run) => run.kind === kind || run.kind === "same");
  const shared = own
    .filter((run) => run.kind === "same")
    .flatMap(({ pieces }) => pieces)
    .join("")
    .trim().length;
  if (shared * 3 < line.length) return line;
  return own.map((run) => (run.kind === "same" ? run.pieces.join("") : <mark>{run.pieces.join("")}</mark>));
}

/** Unchanged lines are shown near changes, and counted elsewhere. */
function Same({ lines, isFirst, isLast }: { lines: string[]; isFirst: boolean; isLast: boolean }) {
  const head = isFirst ? 0 : Math.min(around, lines.length);
  const tail = isLast ? 0 : Math.min(around, lines.length - head);
  const hidden = lines.length - head - tail;
  const short = (line: string) => (
    <span class="same">
      {line.length > maxUnchangedLength ? `${line.slice(0, maxUnchangedLength).toWellFormed()}…` : line || " "}
    </span>
  );
  return (
    <>
      {lines.slice(0, head).map(short)}
      {hidden > 0 && <span class="gap">{plural(hidden, "unchanged line")}</span>}
      {lines.slice(lines.length - tail).map(short)}
    </>
  );
}

type Text = { fields: Record<string, string>; content: string };

/** Different line ends, which an import may have brought, do not count as a change. */
const textOf = ({ content }: Text) => content.replace(/\r\n?/g, "\n");

/** The fields of a post as its form names them, in the order shown. */
export const labels: Record<string, string> = {
  title: "Title",
  slug: "Slug",
  excerpt: "Excerpt",
  coverImage: "Cover picture",
  tags: "Tags",
  author: "Author",
  publishedAt: "Publish date",
  published: "Published",
};

type DiffProps = {
  before: Text;
  after: Text;
  old: string;
  new: string;
  /** Labels by name, if it is not a post. */
  fields?: Record<string, string>;
};

/**
 * The differences between two versions of a post: by field, by line, and within a line by word. They are never marked
 * by colour alone: each line has a sign, and screen readers get a word.
 */
export function PostDiff({ before, after, fields = labels, ...called }: DiffProps) {
  const names = Object.keys(fields).filter((name) => (before.fields[name] ?? "") !== (after.fields[name] ?? ""));
  const [old, fresh] = [textOf(before), textOf(after)];
  if (!names.length && old === fresh) return <p class="muted">Both are the same.</p>;
  return (
    <div class="diff">
      <p class="diff-key" aria-hidden="true">
        <span class="old">{called.old}</span> <span class="new">{called.new}</span>
      </p>
      {names.map((name) => (
        <Part label={fields[name] ?? name} runs={changeOf(before.fields[name], after.fields[name])} />
      ))}
      {old !== fresh && <Part label="Text" runs={diffLines(old, fresh)} />}
    </div>
  );
}

const changeOf = (before = "", after = ""): Run[] => [
  ...(before ? [{ kind: "old" as const, pieces: [before] }] : []),
  ...(after ? [{ kind: "new" as const, pieces: [after] }] : []),
];

const Part = ({ label, runs }: { label: string; runs: Run[] }) => (
  <section>
    <h3>{label}</h3>
    <div class="diff-lines">
      {runs.map(({ kind, pieces }, at) =>
        kind === "same" ? (
          <Same lines={pieces} isFirst={at === 0} isLast={at === runs.length - 1} />
        ) : (
          <Changed kind={kind} lines={pieces} counterpart={counterpartOf(runs, at)} />
        ),
      )}
    </div>
  </section>
);

/** Returns the lines that replace these: the first for the first, and so on. */
function counterpartOf(runs: Run[], at: number): string[] {
  const other = runs[at]?.kind === "old" ? runs[at + 1] : runs[at - 1];
  return other && other.kind !== "same" ? other.pieces : [];
}
