import { diffLines, type Run } from "./diff";
import { Changed, Same } from "./diff-parts";

type Text = { fields: Record<string, string>; content: string };

/** Different line ends, which an import may have brought, do not count as a change. */
const textOf = ({ content }: Text) => content.replace(/\r\n?/g, "\n");

/** The fields of a post as its form names them, in the order shown. */
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
