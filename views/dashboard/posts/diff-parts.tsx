import type { Child } from "../../jsx/jsx-runtime";
import { plural } from "../../components/list";
import { diffWords } from "./diff";

const around = 2; // unchanged lines shown before and after a change
const maxShown = 5_000; // lines of a change; further ones are counted
const maxMarked = 200; // lines of a change that are compared word by word
const maxUnchangedLength = 160; // characters shown of an unchanged line

type ChangedProps = { kind: "old" | "new"; lines: string[]; counterpart: string[] };

export function Changed({ kind, lines, counterpart }: ChangedProps) {
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
export function Same({ lines, isFirst, isLast }: { lines: string[]; isFirst: boolean; isLast: boolean }) {
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
