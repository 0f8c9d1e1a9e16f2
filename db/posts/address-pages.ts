import { sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../engine/open";
import { largerOf } from "../engine/dialects";
import { isPublished, isReleased, posts } from "../schema/posts";
import { newestFirst } from "./feed";

type Address = { slug: string; changedAt: number };
type Row = [publishedAt: number, id: string, slug: string, changedAt: number];
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
  for (let left = after ? limit : 0; left > 0; left -= chunk) {
    const [publishedAt, id] = after as Place;
    const rows = await db.read((orm) => next(orm).values({ publishedAt, id, limit: Math.min(chunk, left) }));
    if (rows.length) yield (rows as Row[]).map(([, , slug, changedAt]) => ({ slug, changedAt }));
    if (rows.length < chunk) return;
    after = (rows as Row[]).at(-1)?.slice(0, 2) as Place;
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
      changedAt: largerOf(sql`${posts.updatedAt}`, sql`${posts.publishedAt}`),
    })
    .from(posts)
    .where(
      sql`${isReleased}
        and (${posts.publishedAt}, ${posts.id}) < (${sql.placeholder("publishedAt")}, ${sql.placeholder("id")})`,
    )
    .orderBy(...newestFirst)
    .limit(sql.placeholder("limit"))
    .prepare(),
);
