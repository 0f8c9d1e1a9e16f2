import { eq, type SQL, sql } from "drizzle-orm";
import type { Orm } from "../../engine/open";
import { contains } from "../../lib/fold";
import { posts } from "../../schema/posts";
import { runSync } from "../../async/in-slices";
import { isShort, shortTerm, type Terms, termsOf } from "./terms";

/*
 * Trigrams (pg_trgm) find a fragment of four characters and more; the folded text decides. Shorter ones would read the
 * index from end to end, so `posts_short` holds the runs of up to three characters of each post.
 */

/**
 * Indexes a megabyte of runs in each statement, because the server ends a statement after five seconds: a million random
 * characters have two million runs, which took ten. Each waits for the row that the previous one returns.
 */
export async function index(orm: Orm, row: number, { short }: Terms): Promise<void> {
  await orm.run(sql`delete from posts_short where post = ${row}`);
  for (const [part] of short.matchAll(/\S.{0,999999}(?!\S)/g))
    await orm.values(sql`insert into posts_short values (${row}, string_to_array(${part}, ' ')) returning 1`);
}

export function matchingRows(text: string): SQL {
  return isShort(text)
    ? sql`select post from posts_short where terms @> array[${shortTerm(text)}]`
    : sql`select ${posts.row} from ${posts} where ${posts.folded} like ${contains(text)} escape '\\'`;
}

/** Indexes all posts, after they were copied from elsewhere. */
export async function indexAll(orm: Orm): Promise<void> {
  for (const { row } of await orm.select({ row: posts.row }).from(posts)) {
    const [post] = await orm.select({ folded: posts.folded }).from(posts).where(eq(posts.row, row));
    await index(orm, row, runSync(termsOf(post?.folded ?? "")));
  }
}
