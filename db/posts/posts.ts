import { and, desc, eq, sql } from "drizzle-orm";
import { type Db, type Orm, prepared, textParameter } from "../engine/open";
import { fold } from "../lib/fold";
import { composed, formerSlugOf } from "../lib/text";
import { managers } from "../schema/access";
import { isPublished, type Post, posts, postSlugs } from "../schema/posts";
import {
  cachedCount,
  countCache,
  countPublished,
  earliest,
  fewRows,
  isInRows,
  matching,
  scanCondition,
} from "./query-plan";
import {
  bySlugOrPrevious,
  changesOf,
  derive,
  insert,
  type PostFields,
  taggedById,
  type TaggedPost,
  update,
} from "./rows";
import { ownerOf } from "./slugs";
import { type Tag, withTags } from "./tags";

export type { Tag };
/** The position of a post, after which a list continues. */
export type Position = { publishedAt: Date; id: string };
type Page = { q?: string | undefined; tag?: string | undefined; limit: number; after?: Position | undefined };

/** The columns of a list item (spec part 2), without the content. */
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

/**
 * Returns published posts (D22), newest first, and their total number. `next` is set if the list continues.
 *
 * The search is literal and folded (D20). Indexes find the matching posts. If there are many, reading posts in order
 * fills a page sooner, and the exact number (D23) is counted once per state of the posts.
 */
export const listPublished = (db: Db, { q, tag, limit, after }: Page, now: Date) =>
  db.read(async (orm) => {
    const filter = { text: q && fold(q), tag };
    const cache = countCache(db, filter, now.getTime());
    const counted = filter.text
      ? cachedCount(db, filter, now.getTime())
      : await countPublished(orm, tag, now.getTime());
    const matches =
      counted === undefined || (tag && counted <= fewRows) ? await matching(orm, filter, now.getTime()) : undefined;
    if (filter.text && matches && matches.length > fewRows) await cache(orm, matches.length);
    const items = await orm
      .select(listed)
      .from(posts)
      .where(
        and(
          isPublished(now.getTime()),
          matches && matches.length <= fewRows ? isInRows(matches) : scanCondition(filter),
          after && sql`(${posts.publishedAt}, ${posts.id}) < (${after.publishedAt.getTime()}, ${after.id})`,
        ),
      )
      .orderBy(desc(posts.publishedAt), desc(posts.id))
      .limit(limit + 1)
      .all();
    const page = await withTags(orm, items.slice(0, limit));
    const total = counted ?? matches?.length ?? 0;
    return { posts: page, total, next: items.length > limit ? page.at(-1) : undefined };
  });

/** Returns the published post with its content; undefined for drafts, scheduled posts and unknown slugs alike (D25). */
export const bySlug = (db: Db, slug: string, now: Date) =>
  db.read(async (orm) => {
    const row = await onePublished(orm).get({ slug: composed(slug), now: now.getTime() });
    return row && (await withTags(orm, [row]))[0];
  });

/** Returns the current slug of the published post that previously had this one; undefined if there is none. */
export const currentSlug = (db: Db, slug: string, now: Date) =>
  db.read(async (orm) => (await byPreviousSlug(orm).get({ slug: composed(slug), now: now.getTime() }))?.slug);

/** Returns when the next scheduled post becomes visible: until then lists stay unchanged. */
export const nextScheduled = (db: Db, now: Date) =>
  db.read(async (orm) => {
    const { at } = (await earliest(orm).get({ now: now.getTime() })) ?? {};
    return at ? new Date(at) : undefined;
  });

export type NewPost = Pick<Post, "slug" | "title" | "published"> &
  Partial<Pick<Post, "excerpt" | "content" | "coverImage" | "author" | "publishedAt">> & { tags?: string[] };

/**
 * Inserts the post, or updates the one that has or had this slug, which then keeps its current slug. Missing fields
 * become empty. Tags are given by name. A post published without a date is published now, unless it already had a date.
 * A post in the trash is restored. An unchanged post is not saved again.
 *
 * @param record writes the audit entry, in the same transaction
 */
export async function save(
  db: Db,
  post: NewPost,
  now: Date,
  { actor = "cli", record }: { actor?: string | undefined; record?: (orm: Orm) => Promise<void> } = {},
): Promise<Post> {
  const derived = await derive({ ...blank, ...post });
  return db.write(async (orm): Promise<Post> => {
    await record?.(orm);
    const { before, fields } = await resolveFields(orm, post, now);
    if (!before) return insert(orm, fields, derived, now);
    return isSame(before, fields)
      ? before
      : await update(orm, before, { fields, derived, actor, isImported: true }, now);
  });
}

/** Defaults for missing fields. */
const blank = { excerpt: "", content: "", coverImage: "", author: "" };

export type SavePreview = { outcome: "new" | "changed" | "same"; slug: string };

/** Returns what saving the post would do now, and its slug. */
export const previewSave = (db: Db, post: NewPost, now: Date) =>
  db.read(async (orm): Promise<SavePreview> => {
    const { before, fields } = await resolveFields(orm, post, now);
    return { outcome: !before ? "new" : isSame(before, fields) ? "same" : "changed", slug: fields.slug };
  });

/** Finds the existing post, if any, and the fields it would be saved with. */
async function resolveFields(orm: Orm, post: NewPost, now: Date) {
  const before = (await bySlugOrPrevious(orm, post.slug)) ?? (await withFormerSlug(orm, post));
  const fields = {
    ...blank,
    tags: [],
    ...post,
    slug: before?.slug ?? post.slug,
    publishedAt: post.publishedAt ?? before?.publishedAt ?? (post.published ? now : null),
  };
  return { before, fields };
}

/**
 * Returns the post that an earlier release made of the same file: other posts may have that slug, but not that title.
 */
async function withFormerSlug(orm: Orm, { slug, title }: NewPost): Promise<TaggedPost | undefined> {
  const former = formerSlugOf(slug);
  const post = former && former !== slug ? await bySlugOrPrevious(orm, former) : undefined;
  return post?.title === title ? post : undefined;
}

const isSame = (before: TaggedPost, fields: PostFields) =>
  before.deletedAt === null && changesOf(before, fields).length === 0;

/** Adds views to posts without changing their `updatedAt`. @param views post ID to additional views */
export async function addViews(orm: Orm, views: Map<string, number>): Promise<void> {
  for (const [id, n] of views) await orm.run(sql`update ${posts} set views = views + ${n} where id = ${id}`);
}

const onePublished = prepared((orm) =>
  orm
    .select({ ...listed, content: posts.content })
    .from(posts)
    .where(and(eq(posts.slug, sql.placeholder("slug")), isPublished(sql.placeholder("now"))))
    .prepare(),
);

const byPreviousSlug = prepared((orm) =>
  orm
    .select({ slug: posts.slug })
    .from(postSlugs)
    .innerJoin(posts, eq(posts.id, postSlugs.postId))
    .where(and(eq(postSlugs.slug, textParameter("slug")), isPublished(sql.placeholder("now"))))
    .prepare(),
);

/**
 * Returns the saved post with its content, draft or not, even if its slug changed since the link was created; undefined
 * if it is in the trash, if the slug belongs to another post, or if the manager who shared it was removed. Only for
 * requests with a valid preview link.
 */
export const previewed = (db: Db, preview: Preview, slug: string) =>
  db.read(async (orm) => {
    const saved = await previewedIn(orm, preview, slug);
    if (!saved) return;
    const {
      row: _row,
      version: _version,
      folded: _folded,
      published: _published,
      deletedAt: _deletedAt,
      ...post
    } = saved;
    return post;
  });

/** Returns the version of the post that such a link shows. */
export const previewedVersion = (db: Db, preview: Preview, slug: string) =>
  db.read(async (orm) => (await previewedIn(orm, preview, slug))?.version);

type Preview = { postId: string; managerId?: string };

async function previewedIn(
  orm: Orm,
  { postId: id, managerId }: Preview,
  slug: string,
): Promise<TaggedPost | undefined> {
  const isTheirs = eq(managers.id, managerId ?? "");
  if (managerId && !(await orm.select({ id: managers.id }).from(managers).where(isTheirs).get())) return;
  const saved = await taggedById(orm, id);
  const owner = await ownerOf(orm, slug);
  return saved && !saved.deletedAt && (!owner || owner.id === id) ? saved : undefined;
}
