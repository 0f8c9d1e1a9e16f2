import { type Db, type Orm, prepared } from "../engine/open";
import * as postSearch from "./search/search";
import { postCounts, tags, posts, isPublished, postTags } from "../schema/posts";
import { countRows, allRows, isOneOf } from "../lib/rows";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { isScheduled, isTagged, isWithheld } from "./list";
import { topicCache } from "../engine/versions";

/*
 * How published posts are queried: which index is used, what is counted, and when a count is cached. Knowledge of
 * SQLite's query planner belongs in this file only.
 */

export const fewRows = 1_000; // up to this many are looked up and sorted faster than posts are read in order until a page is full

/** How a list of published posts is filtered. */
type Filter = { text?: string | undefined; tag?: string | undefined };

/** Counts the published posts, all or with a tag: released ones from counters, minus the scheduled ones. */
export async function countPublished(orm: Orm, tag: string | undefined, now: number): Promise<number> {
  const released = tag ? (await ofTag(orm).get({ tag }))?.n : (await ofAll(orm).get())?.n;
  return (
    (released ?? 0) - (await countRows(orm, posts, sql`${isScheduled(now)}${tag ? sql` and ${isTagged(tag)}` : sql``}`))
  );
}

type Counted = { total: number; from: number; until: number };
const counted = topicCache<Counted>("feeds");
const nameOf = ({ text, tag }: Filter) => JSON.stringify([text, tag]);

/** Returns the cached number of matches of a search with many. */
export function cachedCount(db: Db, filter: Filter, now: number): number | undefined {
  const cached = counted.get(db, nameOf(filter));
  return cached && cached.from <= now && now < cached.until ? cached.total : undefined;
}

/** Caches a count made from now on, until posts change or the next scheduled post is published. */
export function countCache(db: Db, filter: Filter, now: number) {
  const set = counted.setter(db);
  return async (orm: Orm, total: number): Promise<void> => {
    const until = (await earliest(orm).get({ now }))?.at ?? Number.POSITIVE_INFINITY;
    set(nameOf(filter), { total, from: now, until });
  };
}

/** Returns the rows of the matching published posts, from the indexes alone. */
export async function matching(orm: Orm, { text, tag }: Filter, now: number): Promise<number[]> {
  const withText = text ? await postSearch.rowsWith(orm, text) : undefined;
  if (withText && withText.length <= fewRows)
    return rows(orm, sql`${posts} where ${and(isInRows(withText), isPublished(now), tag ? isTagged(tag) : undefined)}`);
  if (!withText && tag) return rows(orm, sql`${taggedWith(tag)} and ${isPublished(now)}`);
  const tagged = tag ? await rows(orm, taggedWith(tag)) : undefined;
  const hidden = new Set([
    ...(await rows(orm, sql`${posts} where ${isWithheld}`)),
    ...(await rows(orm, sql`${posts} where ${isScheduled(now)}`)),
  ]);
  const withTag = new Set(tagged);
  return (withText ?? tagged ?? []).filter((row) => !hidden.has(row) && (!tagged || withTag.has(row)));
}

const taggedWith = (tag: string) =>
  sql`${postTags} join ${posts} on ${posts.id} = ${postTags.postId} where ${postTags.tagSlug} = ${tag}`;

const rows = (orm: Orm, source: SQL): Promise<number[]> => allRows(orm, sql`select ${posts.row} from ${source}`);

/** The filter as a condition tested on each post. */
export const scanCondition = ({ text, tag }: Filter) =>
  and(text ? sql`instr(${posts.folded}, ${text}) > 0` : undefined, tag ? isTagged(tag) : undefined);

export const isInRows = (rowIds: number[]) => isOneOf(posts.row, { list: JSON.stringify(rowIds) });

const ofAll = prepared((orm) =>
  orm.select({ n: postCounts.count }).from(postCounts).where(eq(postCounts.state, "released")).prepare(),
);

const ofTag = prepared((orm) =>
  orm
    .select({ n: tags.released })
    .from(tags)
    .where(eq(tags.slug, sql.placeholder("tag")))
    .prepare(),
);

export const earliest = prepared((orm) =>
  orm
    .select({ at: sql<number | null>`min(${posts.publishedAt})` })
    .from(posts)
    .where(isScheduled(sql.placeholder("now")))
    .prepare(),
);
