import type { Database } from "bun:sqlite";
import { type SQL, sql } from "drizzle-orm";
import type { Orm } from "../engine/open";
import { foldingAll } from "../lib/fold";
import { runSync, slicesOf } from "../lib/in-slices";
import { allRows } from "../lib/row-ids";

/*
 * Two indexes find any fragment of folded text without reading posts. `posts_search` holds each run of four characters
 * with its positions: a fragment is a phrase of runs. The cost of a search is reading the positions of common runs, and
 * runs of four characters are less common than runs of three. `posts_short` holds shorter runs, without positions. SQL
 * cannot split a text into runs, so both are written here.
 */

/** What a text is searched by: the folded text, and the terms for both indexes. */
export type Searchable = { folded: string; short: string; search: string };

/** Computed in slices before the write that stores it: a post of a million characters takes half a second. */
export function* searchable(...fields: string[]): Generator<void, Searchable> {
  const folded = yield* foldingAll(...fields);
  yield;
  return { folded, ...(yield* termsOf(folded)) };
}

/** Indexes the current text of the post. */
export async function index(orm: Orm, row: number, { short, search }: Searchable): Promise<void> {
  await orm.run(sql`insert or replace into posts_short (rowid, terms) values (${row}, ${short})`);
  await orm.run(sql`insert or replace into posts_search (rowid, terms) values (${row}, ${search})`);
}

/** Indexes all posts, after a migration has emptied the indexes. */
export function indexAll(sqlite: Database): void {
  const missing = sqlite.query<{ row: number }, []>(
    "SELECT row FROM posts WHERE row NOT IN (SELECT rowid FROM posts_search)",
  );
  const read = sqlite.query<{ folded: string }, [number]>("SELECT folded FROM posts WHERE row = ?");
  const addShort = sqlite.query("INSERT INTO posts_short (rowid, terms) VALUES (?, ?)");
  const addSearch = sqlite.query("INSERT INTO posts_search (rowid, terms) VALUES (?, ?)");
  for (const { row } of missing.all()) {
    const { short, search } = runSync(termsOf(read.get(row)?.folded ?? ""));
    addShort.run(row, short);
    addSearch.run(row, search);
  }
}

/**
 * Returns the rows of all posts, including hidden ones, whose folded text contains `text` literally. `text` must be
 * folded and not empty.
 */
export const rowsWith = (orm: Orm, text: string): Promise<number[]> => allRows(orm, matchingRows(text));

/** The same as a subquery. */
export function matchingRows(text: string): SQL {
  return [...text.slice(0, 8)].length < 4
    ? sql`select rowid from posts_short where posts_short match ${codesOf(text).join("")}`
    : sql`select rowid from posts_search where posts_search match ${`"${runSync(termsOf(text)).search}"`}`;
}

/**
 * Returns the terms of a text, slice by slice. A slice includes the three characters before it, which belong to its
 * runs.
 */
function* termsOf(text: string): Generator<void, Omit<Searchable, "folded">> {
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
  const known = new Map<string, string>();
  return Array.from(text, (character) => {
    const code = known.get(character) ?? Buffer.from(character).toString("hex");
    known.set(character, code);
    return code;
  });
}
