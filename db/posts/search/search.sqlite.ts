import type { Database } from "bun:sqlite";
import { type SQL, sql } from "drizzle-orm";
import type { Orm } from "../../engine/open";
import { runSync } from "../../async/in-slices";
import { isShort, searchTerms, shortTerm, type Terms, termsOf } from "./terms";

/*
 * Two indexes find any fragment of folded text without reading posts. `posts_search` holds each run of four characters
 * with its positions: a fragment is a phrase of runs. The cost of a search is reading the positions of common runs, and
 * runs of four characters are less common than runs of three. `posts_short` holds shorter runs, without positions. SQL
 * cannot split a text into runs, so both are written here.
 */

/** Indexes the current text of the post. */
export async function index(orm: Orm, row: number, { short, search }: Terms): Promise<void> {
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

export function matchingRows(text: string): SQL {
  return isShort(text)
    ? sql`select rowid from posts_short where posts_short match ${shortTerm(text)}`
    : sql`select rowid from posts_search where posts_search match ${`"${searchTerms(text)}"`}`;
}
