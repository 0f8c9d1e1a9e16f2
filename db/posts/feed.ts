import { desc, sql } from "drizzle-orm";
import { largerOf } from "../engine/dialects";
import { type Db, type Orm, prepared } from "../engine/open";
import { isPublished, isPublishedOrScheduled, posts } from "../schema/posts";
import { withTags } from "./tags";

/*
 * What the public can read at a moment (D22), for documents built from many posts. None of these functions reads the
 * posts' content or counts them.
 */

const newestFirst = [desc(posts.publishedAt), desc(posts.id)];

const columns = {
  id: posts.id,
  slug: posts.slug,
  title: posts.title,
  excerpt: posts.excerpt,
  author: posts.author,
  publishedAt: sql<Date>`${posts.publishedAt}`.mapWith(posts.publishedAt),
  updatedAt: posts.updatedAt,
};

export type Latest = Awaited<ReturnType<typeof latest>>[number];

/** Returns the newest posts with their tags. */
export const latest = (db: Db, limit: number, now: Date) =>
  db.read(async (orm) =>
    withTags(
      orm,
      await orm
        .select(columns)
        .from(posts)
        .where(isPublished(now.getTime()))
        .orderBy(...newestFirst)
        .limit(limit)
        .all(),
    ),
  );

type Address = { slug: string; changedAt: number };
type Place = [publishedAt: number, id: string];

/**
 * Yields the slugs of published posts and when they changed, newest first, skipping `skip` of them and returning at
 * most `limit`, in chunks so that no one else waits long. A scheduled post changes when it is published.
 */
export async function* addresses(
  db: Db,
  { skip, limit, chunk = 1_000 }: { skip: number; limit: number; chunk?: number },
  now: Date,
): AsyncGenerator<Address[]> {
  let after = await db.read((orm) => placeAfter(orm, skip, now));
  for (let left = limit; left > 0 && after; left -= chunk) {
    const [publishedAt, id] = after;
    const rows = await db.read((orm) => next(orm).all({ publishedAt, id, limit: Math.min(chunk, left) }));
    if (rows.length) yield rows.map(({ slug, changedAt }) => ({ slug, changedAt }));
    const last = rows.at(-1);
    if (rows.length < chunk || !last) return;
    after = [last.publishedAt, last.id];
    await new Promise((turn) => setImmediate(turn));
  }
}

/** Before the newest post at that moment. */
const first = (now: Date): Place => [now.getTime(), "\u{10ffff}"];

/** Returns the position after `skip` posts, from the index alone; undefined if there are fewer. */
async function placeAfter(orm: Orm, skip: number, now: Date): Promise<Place | undefined> {
  if (skip === 0) return first(now);
  const [place] = await orm.values<Place>(
    sql`select ${posts.publishedAt}, ${posts.id} from ${posts} where ${isPublished(now.getTime())}
      order by ${posts.publishedAt} desc, ${posts.id} desc limit 1 offset ${skip - 1}`,
  );
  return place;
}

const next = prepared((orm) =>
  orm
    .select({
      publishedAt: sql<number>`${posts.publishedAt}`,
      id: posts.id,
      slug: posts.slug,
      changedAt: sql<number>`${largerOf(sql`${posts.updatedAt}`, sql`${posts.publishedAt}`)}`,
    })
    .from(posts)
    .where(
      sql`${isPublishedOrScheduled}
        and (${posts.publishedAt}, ${posts.id}) < (${sql.placeholder("publishedAt")}, ${sql.placeholder("id")})`,
    )
    .orderBy(...newestFirst)
    .limit(sql.placeholder("limit"))
    .prepare(),
);
