import type { Database } from "bun:sqlite";
import { type SQL, sql } from "drizzle-orm";
import type { Orm } from "../engine/open";
import { allRows } from "../lib/row-ids";

/*
 * Two indexes find any piece of folded text without reading posts. `posts_search` holds each run of four characters and
 * where it stands: a piece is a phrase of runs. What a search costs is to read where the common ones stand, and of four
 * characters few are as common as of three. `posts_short` holds what is shorter, without places. SQL cannot cut a text
 * into runs, so both are written here.
 */

/** Makes the post findable by its text as it is now. */
export function index(orm: Orm, row: number, folded: string): void {
  const { short, search } = termsOf(codesOf(folded));
  orm.run(sql`insert or replace into posts_short (rowid, terms) values (${row}, ${short})`);
  orm.run(sql`insert or replace into posts_search (rowid, terms) values (${row}, ${search})`);
}

/** Makes all posts findable, when a migration emptied the indexes. */
export function indexAll(sqlite: Database): void {
  const missing = sqlite.query<{ row: number }, []>(
    "SELECT row FROM posts WHERE row NOT IN (SELECT rowid FROM posts_search)",
  );
  const read = sqlite.query<{ folded: string }, [number]>("SELECT folded FROM posts WHERE row = ?");
  const addShort = sqlite.query("INSERT INTO posts_short (rowid, terms) VALUES (?, ?)");
  const addSearch = sqlite.query("INSERT INTO posts_search (rowid, terms) VALUES (?, ?)");
  for (const { row } of missing.all()) {
    const { short, search } = termsOf(codesOf(read.get(row)?.folded ?? ""));
    addShort.run(row, short);
    addSearch.run(row, search);
  }
}

/** The rows of all posts, hidden ones too, whose folded text contains `text` literally. `text` is folded, not empty. */
export const rowsWith = (orm: Orm, text: string): number[] => allRows(orm, found(text));

/** The same as a question for the database. */
export function found(text: string): SQL {
  const codes = codesOf(text);
  return codes.length < 4
    ? sql`select rowid from posts_short where posts_short match ${codes.join("")}`
    : sql`select rowid from posts_search where posts_search match ${`"${termsOf(codes).search}"`}`;
}

function termsOf(codes: string[]) {
  const pairs = longer(codes, codes.slice(1));
  const triples = longer(pairs, codes.slice(2));
  const short = [...new Set([...codes, ...pairs, ...triples])].join(" ");
  return { short, search: longer(triples, codes.slice(3)).join(" ") };
}

/** Each run with the character that follows it. */
const longer = (runs: string[], following: string[]) => following.map((code, at) => runs[at] + code);

/** Each character in letters and digits, which the tokenizer keeps together. */
function codesOf(text: string): string[] {
  const known = new Map<string, string>();
  return [...text].map((character) => {
    const code = known.get(character) ?? Buffer.from(character).toString("hex");
    known.set(character, code);
    return code;
  });
}
