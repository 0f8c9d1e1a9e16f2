const linesOf = (text: string): string[] => text.match(/[^\r\n]*(?:\r\n?|\n)|[^\r\n]+$/g) ?? [];

/** A line as a text box gives it back: each line end is a line feed, and U+0000 cannot be in a page. */
const inBox = (line: string) => line.replace(/\r\n?$/, "\n").replaceAll("\0", "\ufffd");

/**
 * Returns what was typed in a text box, with the stored bytes of the lines that were not touched. Lines are compared
 * from both ends; those in between may also have been moved. A new line ends as most of the stored ones do.
 *
 * @param typed with line feeds only
 */
export function withStoredLines(stored: string, typed: string): string {
  const [old, now] = [linesOf(stored), linesOf(typed)];
  const isSame = (at: number, nowAt: number) => inBox(old[at] ?? "") === now[nowAt];
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && isSame(head, head)) head++;
  let tail = 0;
  while (tail < most - head && isSame(old.length - 1 - tail, now.length - 1 - tail)) tail++;
  const between = old.slice(head, old.length - tail);
  const changed = now.slice(head, now.length - tail);
  const kept = [...old.slice(0, head), ...restored(between, changed, endOf(old)), ...old.slice(old.length - tail)];
  return withoutNewPairs(kept).reverse().join("");
}

/** The line end of most lines. */
function endOf(lines: string[]): string {
  const pairs = lines.filter((line) => line.endsWith("\r\n")).length;
  return pairs > lines.length / 2 ? "\r\n" : "\n";
}

/** Gives each line that is among the stored ones their bytes, in the order in which they were stored. */
function restored(stored: string[], typed: string[], end: string): string[] {
  const places = Map.groupBy(stored.toReversed(), inBox);
  return typed.map((line) => places.get(line)?.pop() ?? line.replace(/\n$/, end));
}

/** A lone carriage return before a line feed would become one line end with it. Returns the lines from the last. */
const withoutNewPairs = (lines: string[]) =>
  lines.reduceRight<string[]>((after, line) => {
    const joins = line.endsWith("\r") && after.at(-1)?.startsWith("\n");
    after.push(joins ? `${line.slice(0, -1)}\n` : line);
    return after;
  }, []);
