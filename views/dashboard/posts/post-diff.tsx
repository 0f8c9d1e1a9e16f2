import type { Child } from "../../jsx/jsx-runtime";
import { plural } from "../../components/list";
import { diffLines, diffWords, type Run } from "./diff";

type Text = { fields: Record<string, string>; content: string };

/** Lines that end otherwise, as an import may have brought them, are no others. */
const textOf = ({ content }: Text) => content.replace(/\r\n?/g, "\n");

/** The fields of a post as its form names them, in the order in which they are shown. */
export const labels: Record<string, string> = {
  title: "Title",
  slug: "Slug",
  excerpt: "Excerpt",
  coverImage: "Cover image",
  tags: "Tags",
  author: "Author",
  publishedAt: "Publish date",
  published: "Published",
};

const around = 2; // lines shown before and after a change
const maxShown = 5_000; // lines of a change; beyond, they are counted
const maxMarked = 200; // lines of a change whose words are compared
const maxUnchangedLength = 160; // characters shown of a line that is as before

type DiffProps = {
  before: Text;
  after: Text;
  old: string;
  new: string;
  /** The fields by name, if it is no post. */
  fields?: Record<string, string>;
};

/**
 * What is different between two states of a post: field by field, line by line, and in a line word by word. Never by
 * colour alone: each line has a sign, and readers hear a word.
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

/** The lines that stand in place of these: the first for the first, and so on. */
function counterpartOf(runs: Run[], at: number): string[] {
  const other = runs[at]?.kind === "old" ? runs[at + 1] : runs[at - 1];
  return other && other.kind !== "same" ? other.pieces : [];
}

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

/** The words of a line that its counterpart does not have stand out, unless that is nearly all of them. */
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

/** What both have is shown near the changes, and counted elsewhere. */
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
