import { and, asc, count, desc, eq, inArray, type Placeholder, type SQL, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from ".";
import { fold, foldAll } from "./fold";
import * as postSearch from "./post-search";
import { postTags, posts, tags } from "./schema";
import { slugOf } from "./slug";

export type Post = typeof posts.$inferSelect;
export type Tag = typeof tags.$inferSelect;
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
 * sooner by reading posts in order.
 */
export const listPublished = (db: Db, { q, tag, limit, after }: Page, now: Date) =>
  db.read((orm) => {
    const filter = { text: q && fold(q), tag };
    const found = matching(orm, filter, now.getTime());
    const items = orm
      .select(listed)
      .from(posts)
      .where(
        and(
          isPublished(now.getTime()),
          found && (found.length > few ? askEach(filter) : lookUp(found)),
          after && sql`(${posts.publishedAt}, ${posts.id}) < (${after.publishedAt.getTime()}, ${after.id})`,
        ),
      )
      .orderBy(desc(posts.publishedAt), desc(posts.id))
      .limit(limit + 1)
      .all();
    const page = withTags(orm, items.slice(0, limit));
    const total = found?.length ?? countPublished(orm).get({ now: now.getTime() })?.n ?? 0;
    return { posts: page, total, next: items.length > limit ? page.at(-1) : undefined };
  });

/** The published post with its content; undefined for a draft, a scheduled one and an unknown slug alike (D25). */
export const bySlug = (db: Db, slug: string, now: Date) =>
  db.read((orm) => {
    const row = onePublished(orm).get({ slug, now: now.getTime() });
    return row && withTags(orm, [row])[0];
  });

/** When the next scheduled post becomes visible: until then a list stays as it is. */
export const nextScheduled = (db: Db, now: Date) =>
  db.read((orm) => {
    const { at } = earliest(orm).get({ now: now.getTime() }) ?? {};
    return at ? new Date(at) : undefined;
  });

export type NewPost = Pick<Post, "slug" | "title" | "published"> &
  Partial<Pick<Post, "excerpt" | "content" | "coverImage" | "author" | "publishedAt">> & { tags?: string[] };

/**
 * Inserts the post, or changes the one with this slug; what is not given becomes empty. Tags are given by name. A
 * post that is published without a time is published now, unless it had a time already. Out of the trash it comes back.
 */
export const save = (db: Db, { tags: names = [], ...post }: NewPost, now: Date) =>
  db.write((orm) => {
    const { slug, title, excerpt = "", content = "", coverImage = "", author = "", published } = post;
    const values = {
      ...{ slug, title, excerpt, content, coverImage, author, published },
      publishedAt: post.publishedAt ?? (published ? now : null),
      readingTime: readingTime(content),
      folded: foldAll(title, excerpt, content),
      deletedAt: null,
      updatedAt: now,
    };
    const kept = post.publishedAt ?? sql`coalesce(${posts.publishedAt}, excluded.published_at)`;
    const row = orm
      .insert(posts)
      .values({ ...values, createdAt: now })
      .onConflictDoUpdate({ target: posts.slug, set: { ...values, publishedAt: kept } })
      .returning()
      .get();
    postSearch.index(orm, row.row, row.folded);
    retag(orm, row.id, names);
    return row;
  });

/** Adds to the views of posts; their `updatedAt` stays. @param views post id to how many more */
export function addViews(orm: Orm, views: Map<string, number>): void {
  for (const [id, n] of views) orm.run(sql`update ${posts} set views = views + ${n} where id = ${id}`);
}

// ── Conditions ───────────────────────────────────────────────────────────────────────────────

type Moment = number | Placeholder;

/** Neither a draft nor in the trash: what the index posts_published holds. */
const isReleased = sql`${posts.published} = 1 and ${posts.deletedAt} is null`;
const isPublished = (now: Moment) => sql`${isReleased} and ${posts.publishedAt} <= ${now}`;
const isScheduled = (now: Moment) => sql`${isReleased} and ${posts.publishedAt} > ${now}`;
const isWithheld = sql`${posts.published} = 0 or ${posts.deletedAt} is not null or ${posts.publishedAt} is null`;

/** The rows of the published posts that match, by the indexes alone; undefined when nothing is asked for. */
function matching(orm: Orm, { text, tag }: Filter, now: number): number[] | undefined {
  const found = text ? postSearch.rowsWith(orm, text) : undefined;
  const tagged = tag
    ? rows(orm, sql`${postTags} join ${posts} on ${posts.id} = ${postTags.postId} where ${postTags.tagSlug} = ${tag}`)
    : undefined;
  if (!found && !tagged) return;
  const hidden = new Set([
    ...rows(orm, sql`${posts} where ${isWithheld}`),
    ...rows(orm, sql`${posts} where ${isScheduled(now)}`),
  ]);
  const ofTag = new Set(tagged);
  return (found ?? tagged)?.filter((row) => !hidden.has(row) && (!tagged || ofTag.has(row)));
}

const rows = (orm: Orm, source: SQL): number[] =>
  orm.values<[number]>(sql`select ${posts.row} from ${source}`).map(([row]) => row);

/** The filter as a question to each post. */
const askEach = ({ text, tag }: Filter) =>
  and(
    text ? sql`instr(${posts.folded}, ${text}) > 0` : undefined,
    tag
      ? sql`exists (select 1 from ${postTags} where ${postTags.postId} = ${posts.id} and ${postTags.tagSlug} = ${tag})`
      : undefined,
  );

const lookUp = (found: number[]) => sql`${posts.row} in (select value from json_each(${JSON.stringify(found)}))`;

// ── Statements and parts ─────────────────────────────────────────────────────────────────────

const onePublished = prepared((orm) =>
  orm
    .select({ ...listed, content: posts.content })
    .from(posts)
    .where(and(eq(posts.slug, sql.placeholder("slug")), isPublished(sql.placeholder("now"))))
    .prepare(),
);

const countPublished = prepared((orm) =>
  orm
    .select({ n: count() })
    .from(posts)
    .where(isPublished(sql.placeholder("now")))
    .prepare(),
);

const earliest = prepared((orm) =>
  orm
    .select({ at: sql<number | null>`min(${posts.publishedAt})` })
    .from(posts)
    .where(isScheduled(sql.placeholder("now")))
    .prepare(),
);

/** The same posts with their tags, which one query fetches for all of them. */
function withTags<P extends { id: string }>(orm: Orm, rows: P[]) {
  const ids = rows.map(({ id }) => id);
  const tagsOf = new Map<string, Tag[]>(ids.map((id) => [id, []]));
  for (const { postId, ...tag } of tagRows(orm).all({ ids: JSON.stringify(ids) })) tagsOf.get(postId)?.push(tag);
  return rows.map((row) => ({ ...row, tags: tagsOf.get(row.id) ?? [] }));
}

const tagRows = prepared((orm) =>
  orm
    .select({ postId: postTags.postId, name: tags.name, slug: tags.slug })
    .from(postTags)
    .innerJoin(tags, eq(tags.slug, postTags.tagSlug))
    .where(inArray(postTags.postId, sql`(select value from json_each(${sql.placeholder("ids")}))`))
    .orderBy(asc(postTags.position), asc(tags.slug))
    .prepare(),
);

/** Gives the post exactly these tags, in this order. A tag keeps the name it was first given. */
function retag(orm: Orm, postId: string, names: string[]): void {
  orm.delete(postTags).where(eq(postTags.postId, postId)).run();
  const bySlug = new Map(
    names.map((name) => [slugOf(name), name.trim()]).filter(([slug]) => slug) as [string, string][],
  );
  for (const [position, [slug, name]] of [...bySlug].entries()) {
    orm.insert(tags).values({ slug, name }).onConflictDoNothing().run();
    orm.insert(postTags).values({ postId, tagSlug: slug, position }).run();
  }
}

/** Whole minutes at 200 words a minute, at least one. */
const readingTime = (content: string) => Math.max(1, Math.ceil(content.split(/\s+/).filter(Boolean).length / 200));
