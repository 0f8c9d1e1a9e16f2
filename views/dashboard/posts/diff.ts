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
