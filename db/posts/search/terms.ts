import { foldingAll } from "../../lib/fold";
import { runSync, slicesOf } from "../../async/in-slices";

/** The substrings of up to three characters of a folded text, and those of four. */
export type Terms = { short: string; search: string };
/** What a text is searched by. */
export type Searchable = Terms & { folded: string };

/** Computed in slices before the write that stores it: a post of a million characters takes half a second. */
export function* searchable(...fields: string[]): Generator<void, Searchable> {
  const folded = yield* foldingAll(...fields);
  yield;
  return { folded, ...(yield* termsOf(folded)) };
}

/** Whether a folded text is found by one of its short runs. */
export const isShort = (text: string) => [...text.slice(0, 8)].length < 4;
export const shortTerm = (text: string) => codesOf(text).join("");
export const searchTerms = (text: string) => runSync(termsOf(text)).search;

/**
 * Returns the terms of a text, slice by slice. A slice includes the three characters before it, which belong to its
 * runs.
 */
export function* termsOf(text: string): Generator<void, Terms> {
  const short = new Set<string>();
  const search: string[] = [];
  let before: string[] = [];
  for (const slice of slicesOf(text)) {
    const codes = [...before, ...codesOf(slice)];
    const pairs = extendRuns(codes, codes.slice(1));
    const triples = extendRuns(pairs, codes.slice(2));
    for (const runs of [codes, pairs, triples]) for (const run of runs) short.add(run);
    if (triples.length > 1) search.push(extendRuns(triples, codes.slice(3)).join(" "));
    before = codes.slice(-3);
    yield;
  }
  return { short: [...short].join(" "), search: search.join(" ") };
}

/** Extends each run by the character that follows it. */
const extendRuns = (runs: string[], following: string[]) => following.map((code, at) => runs[at] + code);

/** Encodes each character in letters and digits, which the tokenizer does not split. */
function codesOf(text: string): string[] {
  const codes = new Map<string, string>();
  return Array.from(text, (character) => {
    const code = codes.get(character) ?? Buffer.from(character).toString("hex");
    codes.set(character, code);
    return code;
  });
}
