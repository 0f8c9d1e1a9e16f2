import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { type PageRequest, pageWithin } from "../lib/page";
import { countUpTo } from "../lib/count-up-to";
import { fold } from "../lib/fold";
import { postCounts, posts, tags } from "../schema/posts";
import { withTags } from "./tags/tags";
import {
  among,
  maxCounted,
  type PostFilter,
  type PostStatus,
  statusIs,
  textCondition,
  type TextCondition,
} from "./list-conditions";

export type PostSort = keyof typeof orders;
export type Row = Awaited<ReturnType<typeof list>>["rows"][number];

/** As in the index posts_desk: posts without a date come before all posts that have one. */
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

/** The columns of a list row, without the content. */
const listed = {
  id: posts.id,
  slug: posts.slug,
  title: posts.title,
  published: posts.published,
  publishedAt: posts.publishedAt,
  deletedAt: posts.deletedAt,
  readingTime: posts.readingTime,
  views: posts.views,
  updatedAt: posts.updatedAt,
};

// ── Lists ────────────────────────────────────────────────────────────────────────────────────

/**
 * Returns one page. A page past the end is the last page. `total` is exact for a status or a tag alone. Otherwise,
 * above a thousand, `isMore` says that there are more, so that a hundred thousand posts cost as much as a thousand.
 */
export const list = (
  db: Db,
  { filter, sort }: { filter: PostFilter; sort: PostSort },
  { page, per }: PageRequest,
  now: Date,
) =>
  db.read(async (orm) => {
    const known = await countKnown(orm, filter, now);
    const { q, ...others } = filter;
    const besides = await among(orm, others, now);
    const text = q ? await textCondition(orm, fold(q)) : undefined;
    const where = and(besides, text?.forReading);
    const total = known ?? (await countMatches(orm, besides, text));
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
    const rows = await orm.select(listed).from(posts).where(inArray(posts.row, found)).orderBy(order).all();
    return { rows: await withTags(orm, rows), page: at, per, total: isMore ? maxCounted : total, isMore };
  });

/**
 * The trash starts with the most recently deleted. Published posts all have a date, and their own index does not start
 * with the drafts.
 */
function orderOf({ status }: PostFilter, sort: PostSort): SQL {
  if (status === "trash" && sort === "-published") return sql`${posts.deletedAt} desc, ${posts.id} desc`;
  if (status === "published" && sort === "-published") return sql`${posts.publishedAt} desc, ${posts.id} desc`;
  return orders[sort];
}

/** Counts the posts in each state: from counters, and scheduled ones from an index. */
export const counts = (db: Db, now: Date): Promise<Record<PostStatus, number>> => db.read((orm) => countsIn(orm, now));

async function countsIn(orm: Orm, now: Date) {
  const of = Object.fromEntries((await orm.select().from(postCounts).all()).map(({ state, count }) => [state, count]));
  const scheduled = await countAll(orm, statusIs.scheduled(now));
  return { draft: of.draft ?? 0, scheduled, published: (of.released ?? 0) - scheduled, trash: of.trash ?? 0 };
}

/** The count, if a counter knows it. */
async function countKnown(orm: Orm, { q, status, tag }: PostFilter, now: Date): Promise<number | undefined> {
  if (q || (tag && status)) return;
  if (tag) return (await orm.select({ n: tags.posts }).from(tags).where(eq(tags.slug, tag)).get())?.n ?? 0;
  const { trash, ...others } = await countsIn(orm, now);
  if (status) return { ...others, trash }[status];
  return Object.values(others).reduce((sum, count) => sum + count);
}

/** Counts the posts matching the condition. */
export const countAll = async (orm: Orm, where: SQL | undefined) =>
  (
    await orm
      .select({ n: sql<number>`count(*)` })
      .from(posts)
      .where(where)
      .get()
  )?.n ?? 0;

/** If many posts contain the text, a sample of them may already show that there are enough. */
async function countMatches(orm: Orm, besides: SQL | undefined, text: TextCondition | undefined): Promise<number> {
  const some = text?.sample ? await countUpTo(orm, maxCounted, posts, and(besides, text.sample)) : 0;
  return some > maxCounted ? some : await countUpTo(orm, maxCounted, posts, and(besides, text?.forCounting));
}
