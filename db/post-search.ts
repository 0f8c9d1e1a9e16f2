import { type SQL, sql } from "drizzle-orm";
import type { Orm } from ".";
import { allRows } from "./row-list";

/**
 * Two indexes find any piece of folded text without reading posts: `posts_search` holds runs of three characters and
 * follows the table by triggers; `posts_short` holds single characters and pairs, for what is shorter than three, and
 * is written here, because SQL cannot cut a text into pairs.
 */
export function index(orm: Orm, row: number, folded: string): void {
  const characters = [...folded];
  const pairs = characters.map((character, at) => character + (characters[at + 1] ?? ""));
  const terms = [...new Set([...characters, ...pairs])].map(term).join(" ");
  orm.run(sql`insert or replace into posts_short (rowid, terms) values (${row}, ${terms})`);
}

/** The rows of all posts, hidden ones too, whose folded text contains `text` literally. `text` is folded, not empty. */
export const rowsWith = (orm: Orm, text: string): number[] => allRows(orm, found(text));

/** The same as a question for the database. */
export const found = (text: string): SQL =>
  [...text].length < 3
    ? sql`select rowid from posts_short where posts_short match ${term(text)}`
    : sql`select rowid from posts_search where posts_search match ${`"${text.replaceAll('"', '""')}"`}`;

/** One or two characters as a word of letters and digits: what the tokenizer keeps whole. */
const term = (text: string) => `x${Buffer.from(text).toString("hex")}`;
