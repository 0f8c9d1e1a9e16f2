import { and, asc, eq, gt, gte, inArray, isNotNull, isNull, lt, type Placeholder, type SQL, sql } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { fold } from "../lib/fold";
import { countUpTo, firstRows, hasId, isOneOf, type PageRequest, pageWithin } from "../lib/rows";
import { wordless } from "../lib/text";
import { isPublished, isPublishedOrScheduled, postCounts, posts, postTags, tags } from "../schema/posts";
import type { TaggedPost } from "./rows";
import * as postSearch from "./search/search";
import { withTags } from "./tags";

export type PostStatus = "draft" | "scheduled" | "published" | "trash";
/** A manager's filter. An absent field does not filter; without a status, everything outside the trash matches. */
export type PostFilter = { q?: string | undefined; status?: PostStatus | undefined; tag?: string | undefined };

const maxLookedUp = 10_000; // matches whose row IDs are kept in memory
const sampleSize = 3_000; // of these, how many are tried first when counting
const maxCounted = 1_000; // matches that are counted and sorted; beyond that, posts are read in order until the page is full

// ── Conditions ───────────────────────────────────────────────────────────────────────────────

export const isTrashed = isNotNull(posts.deletedAt);
export const isNotTrashed = isNull(posts.deletedAt);
export const isDraft = sql`${posts.published} = 0 and ${posts.deletedAt} is null`;
/** Released, with a date in the future (D22). */
export const isScheduled = (now: number | Placeholder) =>
  sql`${isPublishedOrScheduled} and ${posts.publishedAt} > ${now}`;
/** Worded like the index posts_hidden. */
export const isWithheld = sql`${posts.published} = 0 or ${posts.deletedAt} is not null or ${posts.publishedAt} is null`;

export const statusIs: Record<PostStatus, (now: Date) => SQL> = {
  draft: () => isDraft,
  scheduled: (now) => isScheduled(now.getTime()),
  published: (now) => isPublished(now.getTime()),
  trash: () => isTrashed,
};

/** Rare properties are looked up as row IDs; common ones are tested on each post. */
const among = async (orm: Orm, { status, tag }: Omit<PostFilter, "q">, now: Date): Promise<SQL | undefined> =>
  and(await inState(orm, status, now), tag ? ((await rowsIfFew(orm, rowsTagged(tag))) ?? isTagged(tag)) : undefined);

/** The same condition for reading in order and for counting. `sample`: part of the matches, if there are many. */
type TextCondition = { forReading: SQL; forCounting: SQL; sample?: SQL };

/**
 * Returns the text search as conditions: for reading in order until a page is full, and for counting. Up to a thousand
 * matches are looked up by row. A few thousand are known by row too, but reading an index in order meets them sooner
 * (the plus keeps SQLite from looking them up). Beyond that they are so frequent that the texts themselves are read.
 */
async function textCondition(orm: Orm, text: string): Promise<TextCondition> {
  const matching = await firstRows(orm, postSearch.matchingRows(orm, text), maxLookedUp);
  const forCounting = isOneOf(posts.row, matching);
  if (matching.count <= maxCounted) return { forReading: forCounting, forCounting };
  const sample = isOneOf(posts.row, matching, sampleSize);
  if (matching.count <= maxLookedUp) return { forReading: isOneOf(sql`+${posts.row}`, matching), forCounting, sample };
  const forReading = sql`instr(${posts.folded}, ${text}) > 0`;
  return { forReading, forCounting: forReading, sample };
}

/** Most posts are published; the other states may be rare among them. */
async function inState(orm: Orm, status: PostStatus | undefined, now: Date): Promise<SQL | undefined> {
  if (!status) return isNotTrashed;
  const condition = statusIs[status](now);
  if (status === "published") return condition;
  return (await rowsIfFew(orm, sql`select ${posts.row} from ${posts} where ${condition}`)) ?? condition;
}

/** Condition: one of these rows, if there are few. */
async function rowsIfFew(orm: Orm, rows: SQL): Promise<SQL | undefined> {
  const few = await firstRows(orm, rows, maxCounted);
  return few.count > maxCounted ? undefined : isOneOf(posts.row, few);
}

const rowsTagged = (tag: string) =>
  sql`select ${posts.row} from ${postTags} join ${posts} on ${posts.id} = ${postTags.postId} where ${postTags.tagSlug} = ${tag}`;
export const isTagged = (tag: string) =>
  sql`exists (select 1 from ${postTags} where ${postTags.postId} = ${posts.id} and ${postTags.tagSlug} = ${tag})`;

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
  hasText: sql<boolean>`case when trim(${posts.content}, ${wordless}) = '' then 0 else 1 end`.mapWith(Boolean),
  coverImage: posts.coverImage,
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
    const counted = await countKnown(orm, filter, now);
    const { q, ...others } = filter;
    const besides = await among(orm, others, now);
    const text = q ? await textCondition(orm, fold(q)) : undefined;
    const where = and(besides, text?.forReading);
    const total = counted ?? (await countMatches(orm, besides, text));
    const isMore = counted === undefined && total > maxCounted;
    const at = isMore ? page : pageWithin({ page, per }, total);
    const order = orderOf(filter, sort);
    const pageRows = orm
      .select({ row: posts.row })
      .from(posts)
      .where(where)
      .orderBy(order)
      .limit(per)
      .offset((at - 1) * per);
    const rows = await orm.select(listed).from(posts).where(inArray(posts.row, pageRows)).orderBy(order).all();
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

/** Posts as the pages about views name them, without their text. Deleted ones are left out. */
export const visited = (db: Db, ids: string[]) => {
  const { id, title, views: total, deletedAt } = posts;
  return db.read((orm) => orm.select({ id, title, total, deletedAt }).from(posts).where(hasId(id, ids)).all());
};

/**
 * Yields every post outside the trash with its content and tags, in batches, so that any number needs little memory.
 */
export async function* batches(db: Db, size = 100): AsyncGenerator<TaggedPost[]> {
  for (let last = 0; ;) {
    const batch = await db.read(async (orm) => {
      const next = orm
        .select({ row: posts.row })
        .from(posts)
        .where(and(isNull(posts.deletedAt), gt(posts.row, last)))
        .orderBy(asc(posts.row))
        .limit(size);
      return withTags(
        orm,
        await orm.select().from(posts).where(inArray(posts.row, next)).orderBy(asc(posts.row)).all(),
      );
    });
    if (batch.length) yield batch;
    if (batch.length < size) return;
    last = batch.at(-1)?.row ?? last;
    await new Promise((turn) => setImmediate(turn));
  }
}

/** From a moment until before another. */
type Period = { from: Date; until: Date };

/** Returns the published and scheduled posts of a period, in order. */
export const datedIn = (db: Db, { from, until }: Period, max: number) =>
  db.read((orm) =>
    orm
      .select({ id: posts.id, title: posts.title, version: posts.version, publishedAt: posts.publishedAt })
      .from(posts)
      .where(and(isPublishedOrScheduled, gte(posts.publishedAt, from), lt(posts.publishedAt, until)))
      .orderBy(asc(posts.publishedAt), asc(posts.id))
      .limit(max)
      .all(),
  );
