import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { pageWithin, type PageRequest } from "../lib/page";
import { countUpTo } from "../lib/count-up-to";
import { fold } from "../lib/fold";
import * as postSearch from "./search";
import { firstRows, isOneOf } from "../lib/row-ids";
import { postCounts, posts, postTags, tags, isPublished } from "../schema/posts";
import { withTags } from "./tags";
import { isScheduled, isNotTrashed, isTrashed, isDraft } from "./rules";

export type PostStatus = "draft" | "scheduled" | "published" | "trash";
/** What managers look for. An absent field filters nothing; without a status, all that is not in the trash. */
export type PostFilter = { q?: string | undefined; status?: PostStatus | undefined; tag?: string | undefined };
export type PostSort = keyof typeof orders;
export type Row = Awaited<ReturnType<typeof list>>["rows"][number];

const maxLookedUp = 10_000; // matches whose rows are kept in mind
const sampleSize = 3_000; // of these, looked at first when they are counted
const maxCounted = 1_000; // matches that are counted and sorted; beyond, posts are read in order until the page is full

/** As the index posts_desk has it: what has no time yet comes before everything that has one. */
const time = sql`case when ${posts.publishedAt} is null then 9e15 else ${posts.publishedAt} end`;
const title = sql`${posts.title} collate nocase`;
const orders = {
  published: sql`${time}, ${posts.id}`,
  "-published": sql`${time} desc, ${posts.id} desc`,
  title: sql`${title}, ${posts.id}`,
  "-title": sql`${title} desc, ${posts.id} desc`,
  views: sql`${posts.views}, ${posts.id}`,
  "-views": sql`${posts.views} desc, ${posts.id} desc`,
};

/** What a row of the list tells. The content is not read for it. */
const listed = {
  ...{ id: posts.id, slug: posts.slug, title: posts.title, published: posts.published },
  ...{ publishedAt: posts.publishedAt, deletedAt: posts.deletedAt, readingTime: posts.readingTime },
  ...{ views: posts.views, updatedAt: posts.updatedAt },
};

// ── Lists ────────────────────────────────────────────────────────────────────────────────────

/**
 * One page. A page past the end is the last one. `total` is exact for a status or a tag alone; else, above a thousand,
 * `isMore` says that there are more: a hundred thousand posts cost what a thousand cost.
 */
export const list = (db: Db, filter: PostFilter, sort: PostSort, { page, per }: PageRequest, now: Date) =>
  db.read((orm) => {
    const known = countKnown(orm, filter, now);
    const { q, ...others } = filter;
    const besides = among(orm, others, now);
    const text = q ? textCondition(orm, fold(q)) : undefined;
    const where = and(besides, text?.forReading);
    const total = known ?? countMatches(orm, besides, text);
    const isMore = known === undefined && total > maxCounted;
    const at = isMore ? page : pageWithin({ page, per }, total);
    const order = orderOf(filter, sort);
    const found = orm
      .select({ row: posts.row })
      .from(posts)
      .where(where)
      .orderBy(order)
      .limit(per)
      .offset((at - 1) * per);
    const rows = orm.select(listed).from(posts).where(inArray(posts.row, found)).orderBy(order).all();
    return { rows: withTags(orm, rows), page: at, per, total: isMore ? maxCounted : total, isMore };
  });

/** The trash begins with what came last. What is published has a time: its own index does not begin with the drafts. */
function orderOf({ status }: PostFilter, sort: PostSort): SQL {
  if (status === "trash" && sort === "-published") return sql`${posts.deletedAt} desc, ${posts.id} desc`;
  if (status === "published" && sort === "-published") return sql`${posts.publishedAt} desc, ${posts.id} desc`;
  return orders[sort];
}

/** How many there are in each state, from counters; of those that wait for their time, from an index. */
export const counts = (db: Db, now: Date): Promise<Record<PostStatus, number>> => db.read((orm) => countsIn(orm, now));

function countsIn(orm: Orm, now: Date) {
  const of = Object.fromEntries(
    orm
      .select()
      .from(postCounts)
      .all()
      .map(({ state, count }) => [state, count]),
  );
  const scheduled = countAll(orm, statusIs.scheduled(now));
  return { draft: of.draft ?? 0, scheduled, published: (of.released ?? 0) - scheduled, trash: of.trash ?? 0 };
}

/** The number that a counter knows. */
function countKnown(orm: Orm, { q, status, tag }: PostFilter, now: Date): number | undefined {
  if (q || (tag && status)) return;
  if (tag) return orm.select({ n: tags.posts }).from(tags).where(eq(tags.slug, tag)).get()?.n ?? 0;
  const { trash, ...others } = countsIn(orm, now);
  if (status) return { ...others, trash }[status];
  return Object.values(others).reduce((sum, count) => sum + count);
}

/** How many posts the condition holds for. */
export const countAll = (orm: Orm, where: SQL | undefined) =>
  orm
    .select({ n: sql<number>`count(*)` })
    .from(posts)
    .where(where)
    .get()?.n ?? 0;

/** Among many that have the text, a part of them may tell already that there are enough. */
function countMatches(orm: Orm, besides: SQL | undefined, text: TextCondition | undefined): number {
  const some = text?.sample ? countUpTo(orm, maxCounted, posts, and(besides, text.sample)) : 0;
  return some > maxCounted ? some : countUpTo(orm, maxCounted, posts, and(besides, text?.forCounting));
}

// ── Conditions ───────────────────────────────────────────────────────────────────────────────

export const statusIs: Record<PostStatus, (now: Date) => SQL> = {
  draft: () => isDraft,
  scheduled: (now) => isScheduled(now.getTime()),
  published: (now) => isPublished(now.getTime()),
  trash: () => isTrashed,
};

/** What is rare is looked up, and what is common is asked of each post. */
const among = (orm: Orm, { status, tag }: Omit<PostFilter, "q">, now: Date): SQL | undefined =>
  and(inState(orm, status, now), tag ? (rowsIfFew(orm, rowsTagged(tag)) ?? isTagged(tag)) : undefined);

/** `some`: a part of what has the text, where that is much. */
type TextCondition = { forReading: SQL; forCounting: SQL; sample?: SQL };

/**
 * The text as a condition, once for reading in order until a page is full, once for counting. The rows of a thousand
 * matches are looked up. Those of a few thousand are known too, but an index in order meets them sooner (the plus keeps
 * SQLite from looking them up). More are met so soon that the texts themselves are read.
 */
function textCondition(orm: Orm, text: string): TextCondition {
  const found = firstRows(orm, postSearch.matchingRows(text), maxLookedUp);
  const forCounting = isOneOf(posts.row, found);
  if (found.count <= maxCounted) return { forReading: forCounting, forCounting };
  const sample = isOneOf(posts.row, found, sampleSize);
  if (found.count <= maxLookedUp) return { forReading: isOneOf(sql`+${posts.row}`, found), forCounting, sample };
  const forReading = sql`instr(${posts.folded}, ${text}) > 0`;
  return { forReading, forCounting: forReading, sample };
}

/** Of what is published there is much; the other states may be rare among it. */
function inState(orm: Orm, status: PostStatus | undefined, now: Date): SQL | undefined {
  if (!status) return isNotTrashed;
  const condition = statusIs[status](now);
  if (status === "published") return condition;
  return rowsIfFew(orm, sql`select ${posts.row} from ${posts} where ${condition}`) ?? condition;
}

/** "One of these rows", when they are few. */
function rowsIfFew(orm: Orm, rows: SQL): SQL | undefined {
  const found = firstRows(orm, rows, maxCounted);
  return found.count > maxCounted ? undefined : isOneOf(posts.row, found);
}

const rowsTagged = (tag: string) =>
  sql`select ${posts.row} from ${postTags} join ${posts} on ${posts.id} = ${postTags.postId} where ${postTags.tagSlug} = ${tag}`;
export const isTagged = (tag: string) =>
  sql`exists (select 1 from ${postTags} where ${postTags.postId} = ${posts.id} and ${postTags.tagSlug} = ${tag})`;
