import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../engine/open";
import { countRows } from "../lib/page";
import { fold } from "../lib/fold";
import { bySlugOrEarlier, changesOf, derive, insert, update, type PostFields, type TaggedPost } from "./rows";
import * as postSearch from "./search";
import { allRows } from "../lib/row-ids";
import { postCounts, postSlugs, postTags, posts, tags, isPublished } from "../schema/posts";
import { type Tag, withTags } from "./tags";
import { memory } from "../engine/versions";
import { isScheduled, isWithheld } from "./rules";

export type Post = typeof posts.$inferSelect;
export type { Tag };
/** Where a list goes on: after this post. */
export type Position = { publishedAt: Date; id: string };
type Filter = { text?: string | undefined; tag?: string | undefined };
type Page = { q?: string | undefined; tag?: string | undefined; limit: number; after?: Position | undefined };

/** What a list item tells (spec part 2). The content is not read for it. */
const listed = {
  id: posts.id,
  slug: posts.slug,
  title: posts.title,
  excerpt: posts.excerpt,
  coverImage: posts.coverImage,
  publishedAt: sql<Date>`${posts.publishedAt}`.mapWith(posts.publishedAt),
  readingTime: posts.readingTime,
  author: posts.author,
  views: posts.views,
  createdAt: posts.createdAt,
  updatedAt: posts.updatedAt,
};

const few = 1_000; // so many are looked up and sorted sooner than posts are read in order until a page is full

/**
 * Published posts (D22), the newest first, and how many there are in all. `next` is set when the list goes on.
 *
 * The search is literal and folded (D20). Indexes tell which posts match; when these are many, a page of them is found
 * sooner by reading posts in order, and their exact number (D23) is counted once for each state of the posts.
 */
export const listPublished = (db: Db, { q, tag, limit, after }: Page, now: Date) =>
  db.read((orm) => {
    const filter = { text: q && fold(q), tag };
    const known = filter.text ? countedMany(db, filter, now.getTime()) : countPublished(orm, tag, now.getTime());
    const found = known === undefined || (tag && known <= few) ? matching(orm, filter, now.getTime()) : undefined;
    if (filter.text && found && found.length > few) keepCount(db, orm, filter, found.length, now.getTime());
    const items = orm
      .select(listed)
      .from(posts)
      .where(
        and(
          isPublished(now.getTime()),
          found && found.length <= few ? lookUp(found) : askEach(filter),
          after && sql`(${posts.publishedAt}, ${posts.id}) < (${after.publishedAt.getTime()}, ${after.id})`,
        ),
      )
      .orderBy(desc(posts.publishedAt), desc(posts.id))
      .limit(limit + 1)
      .all();
    const page = withTags(orm, items.slice(0, limit));
    const total = known ?? found?.length ?? 0;
    return { posts: page, total, next: items.length > limit ? page.at(-1) : undefined };
  });

/** The published post with its content; undefined for a draft, a scheduled one and an unknown slug alike (D25). */
export const bySlug = (db: Db, slug: string, now: Date) =>
  db.read((orm) => {
    const row = onePublished(orm).get({ slug, now: now.getTime() });
    return row && withTags(orm, [row])[0];
  });

/** Where the published post is now that had this slug before; undefined when there is none. */
export const currentSlug = (db: Db, slug: string, now: Date) =>
  db.read((orm) => renamed(orm).get({ slug, now: now.getTime() })?.slug);

/** When the next scheduled post becomes visible: until then a list stays as it is. */
export const nextScheduled = (db: Db, now: Date) =>
  db.read((orm) => {
    const { at } = earliest(orm).get({ now: now.getTime() }) ?? {};
    return at ? new Date(at) : undefined;
  });

export type NewPost = Pick<Post, "slug" | "title" | "published"> &
  Partial<Pick<Post, "excerpt" | "content" | "coverImage" | "author" | "publishedAt">> & { tags?: string[] };

/**
 * Inserts the post, or changes the one that has this slug, or had it before: that one keeps its address of now (P20).
 * What is not given becomes empty. Tags are given by name. A post that is published without a time is published now,
 * unless it had a time already. Out of the trash it comes back. What is the same already is not saved again.
 */
export async function save(db: Db, post: NewPost, now: Date, actor = "cli"): Promise<Post> {
  const derived = await derive({ ...blank, ...post });
  return db.write((orm): Post => {
    const { before, fields } = meant(orm, post, now);
    if (!before) return insert(orm, fields, derived, now);
    return isSame(before, fields) ? before : update(orm, before, fields, derived, actor, now);
  });
}

/** What is not given. */
const blank = { excerpt: "", content: "", coverImage: "", author: "" };

export type Foreseen = { outcome: "new" | "changed" | "same"; slug: string };

/** What saving the post would do now, and to which address. */
export const foresee = (db: Db, post: NewPost, now: Date) =>
  db.read((orm): Foreseen => {
    const { before, fields } = meant(orm, post, now);
    return { outcome: !before ? "new" : isSame(before, fields) ? "same" : "changed", slug: fields.slug };
  });

/** The post that is meant, if it is there, and what would become of it. */
function meant(orm: Orm, post: NewPost, now: Date) {
  const before = bySlugOrEarlier(orm, post.slug);
  const fields = {
    ...{ ...blank, tags: [], ...post },
    slug: before?.slug ?? post.slug,
    publishedAt: post.publishedAt ?? before?.publishedAt ?? (post.published ? now : null),
  };
  return { before, fields };
}

const isSame = (before: TaggedPost, fields: PostFields) =>
  before.deletedAt === null && changesOf(before, fields).length === 0;

/** Adds to the views of posts; their `updatedAt` stays. @param views post id to how many more */
export function addViews(orm: Orm, views: Map<string, number>): void {
  for (const [id, n] of views) orm.run(sql`update ${posts} set views = views + ${n} where id = ${id}`);
}

// ── Conditions ───────────────────────────────────────────────────────────────────────────────

/** How many are published, all or those with a tag: of what is released, by counters, what is still to come is not. */
function countPublished(orm: Orm, tag: string | undefined, now: number): number {
  const released = tag ? ofTag(orm).get({ tag })?.n : ofAll(orm).get()?.n;
  return (released ?? 0) - countRows(orm, posts, sql`${isScheduled(now)}${tag ? sql` and ${isTagged(tag)}` : sql``}`);
}

type Counted = { total: number; from: number; until: number };
const counted = memory<Counted>("feeds");
const nameOf = ({ text, tag }: Filter) => JSON.stringify([text, tag]);

/** How many posts a search finds, when they are many and were counted before. */
function countedMany(db: Db, filter: Filter, now: number): number | undefined {
  const known = counted.recall(db, nameOf(filter));
  return known && known.from <= now && now < known.until ? known.total : undefined;
}

/** Keeps a count until posts change, or the next scheduled one appears. */
function keepCount(db: Db, orm: Orm, filter: Filter, total: number, now: number): void {
  const until = earliest(orm).get({ now })?.at ?? Number.POSITIVE_INFINITY;
  counted.keep(db, nameOf(filter), { total, from: now, until });
}

/** The rows of the published posts that match, by the indexes alone. */
function matching(orm: Orm, { text, tag }: Filter, now: number): number[] {
  const found = text ? postSearch.rowsWith(orm, text) : undefined;
  if (found && found.length <= few)
    return rows(orm, sql`${posts} where ${and(lookUp(found), isPublished(now), tag ? isTagged(tag) : undefined)}`);
  if (!found && tag) return rows(orm, sql`${taggedWith(tag)} and ${isPublished(now)}`);
  const tagged = tag ? rows(orm, taggedWith(tag)) : undefined;
  const hidden = new Set([
    ...rows(orm, sql`${posts} where ${isWithheld}`),
    ...rows(orm, sql`${posts} where ${isScheduled(now)}`),
  ]);
  const withTag = new Set(tagged);
  return (found ?? tagged ?? []).filter((row) => !hidden.has(row) && (!tagged || withTag.has(row)));
}

const taggedWith = (tag: string) =>
  sql`${postTags} join ${posts} on ${posts.id} = ${postTags.postId} where ${postTags.tagSlug} = ${tag}`;

const rows = (orm: Orm, source: SQL): number[] => allRows(orm, sql`select ${posts.row} from ${source}`);

/** The filter as a question to each post. */
const askEach = ({ text, tag }: Filter) =>
  and(text ? sql`instr(${posts.folded}, ${text}) > 0` : undefined, tag ? isTagged(tag) : undefined);

const isTagged = (tag: string) =>
  sql`exists (select 1 from ${postTags} where ${postTags.postId} = ${posts.id} and ${postTags.tagSlug} = ${tag})`;

const lookUp = (found: number[]) => sql`${posts.row} in (select value from json_each(${JSON.stringify(found)}))`;

// ── Statements and parts ─────────────────────────────────────────────────────────────────────

const onePublished = prepared((orm) =>
  orm
    .select({ ...listed, content: posts.content })
    .from(posts)
    .where(and(eq(posts.slug, sql.placeholder("slug")), isPublished(sql.placeholder("now"))))
    .prepare(),
);

const renamed = prepared((orm) =>
  orm
    .select({ slug: posts.slug })
    .from(postSlugs)
    .innerJoin(posts, eq(posts.id, postSlugs.postId))
    .where(and(eq(postSlugs.slug, sql.placeholder("slug")), isPublished(sql.placeholder("now"))))
    .prepare(),
);

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
const earliest = prepared((orm) =>
  orm
    .select({ at: sql<number | null>`min(${posts.publishedAt})` })
    .from(posts)
    .where(isScheduled(sql.placeholder("now")))
    .prepare(),
);
