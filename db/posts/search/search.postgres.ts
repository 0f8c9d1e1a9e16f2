import type { SQL as Connection } from "bun";
import { type SQL, sql } from "drizzle-orm";
import type { Orm } from "../../engine/open";
import { contains } from "../../lib/fold";
import { posts } from "../../schema/posts";
import { runSync } from "../../lib/async/in-slices";
import { isShort, type Searchable, shortTerm, termsOf } from "./terms";

/*
 * Trigrams (pg_trgm) find a fragment of four characters and more; the folded text decides. Shorter ones would read the
 * index from end to end, so `posts_short` holds the runs of up to three characters of each post.
 */

export async function index(orm: Orm, row: number, { short }: Searchable): Promise<void> {
  await orm.run(sql`insert into posts_short (post, terms) values (${row}, string_to_array(${short}, ' '))
    on conflict (post) do update set terms = excluded.terms`);
}

export function matchingRows(text: string): SQL {
  return isShort(text)
    ? sql`select post from posts_short where terms @> array[${shortTerm(text)}]`
    : sql`select ${posts.row} from ${posts} where ${posts.folded} like ${contains(text)} escape '\\'`;
}

/** Indexes all posts, after they were copied from elsewhere. */
export async function indexAll(connection: Connection): Promise<void> {
  const posts: [bigint][] = await connection.unsafe("select row from posts", []).values();
  for (const [row] of posts) {
    const [found]: [string][] = await connection.unsafe("select folded from posts where row = $1", [row]).values();
    const { short } = runSync(termsOf(found?.[0] ?? ""));
    await connection.unsafe("insert into posts_short (post, terms) values ($1, string_to_array($2, ' '))", [
      row,
      short,
    ]);
  }
}
