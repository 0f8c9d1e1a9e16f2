import { eq } from "drizzle-orm";
import type { Orm } from "../engine/open";
import { inSlices } from "../lib/in-slices";
import * as addresses from "./slugs";
import * as revisions from "./revisions";
import * as postSearch from "./search";
import { posts } from "../schema/posts";
import { matchNames, retag, type Tag, withTags } from "./tags";

/* The row of a post and all that goes with it: tags, search, earlier addresses, revisions. Inside a transaction. */

type Post = typeof posts.$inferSelect;
export type TaggedPost = Post & { tags: Tag[] };
/** All that a person says about a post; the rest is counted or noted. Tags are given by name. */
export type PostFields = Pick<
  Post,
  "slug" | "title" | "excerpt" | "content" | "coverImage" | "author" | "published"
> & {
  publishedAt: Date | null;
  tags: string[];
};

/** What follows from the words of a post: how they are found, and how long they take to read. */
export type Derived = { searchable: postSearch.Searchable; readingTime: number };

/** Ask for it before the write: a long text takes its time, and nobody else may write meanwhile (P65). */
export const derive = async ({ title, excerpt, content }: Pick<Post, "title" | "excerpt" | "content">) => ({
  searchable: await inSlices(postSearch.searchable(title, excerpt, content)),
  readingTime: readingTime(content),
});

/** A new post with its tags, findable. It keeps no revision: what it is now is one when it is changed. */
export function insert(orm: Orm, { tags, ...fields }: PostFields, derived: Derived, now: Date): Post {
  const row = orm
    .insert(posts)
    .values({ ...valuesOf(fields), ...columnsOf(derived), createdAt: now, updatedAt: now })
    .returning()
    .get();
  postSearch.index(orm, row.row, derived.searchable);
  retag(orm, row.id, tags);
  return row;
}

/**
 * The post with other fields, a version further, and the revision of it.
 * @param derived from the words in `fields`; undefined when they are the post's own
 */
export function update(
  orm: Orm,
  post: Post,
  { tags, ...fields }: PostFields,
  derived: Derived | undefined,
  actor: string,
  now: Date,
): Post {
  revisions.saveOriginal(orm, post);
  if (fields.slug !== post.slug) addresses.reservePreviousSlug(orm, post, fields.slug, now);
  const columns = { ...valuesOf(fields), ...(derived && columnsOf(derived)) };
  const next = orm
    .update(posts)
    .set({ ...columns, deletedAt: null, version: post.version + 1, updatedAt: now })
    .where(eq(posts.id, post.id))
    .returning()
    .get();
  if (derived && next.folded !== post.folded) postSearch.index(orm, next.row, derived.searchable);
  retag(orm, next.id, tags);
  revisions.saveRevision(orm, next, actor, now);
  return next;
}

const columnsOf = ({ searchable: { folded }, readingTime }: Derived) => ({ folded, readingTime });

const valuesOf = ({
  slug,
  title,
  excerpt,
  content,
  coverImage,
  author,
  published,
  publishedAt,
}: Omit<PostFields, "tags">) => ({ slug, title, excerpt, content, coverImage, author, published, publishedAt });

/** Whole minutes at 200 words a minute, at least one. */
const readingTime = (content: string) => Math.max(1, Math.ceil((content.match(/\S+/g)?.length ?? 0) / 200));

/** Which fields would be another. Tags are compared by what they mean: two spellings of one are no change. */
export function changesOf(post: TaggedPost, fields: PostFields): string[] {
  const slugs = (tags: Tag[]) => tags.map(({ slug }) => slug).join();
  const is = { ...post, tags: slugs(post.tags), publishedAt: Number(post.publishedAt) };
  const said = { ...fields, tags: slugs(matchNames(fields.tags, post.tags)), publishedAt: Number(fields.publishedAt) };
  return fieldNames.filter((name) => said[name] !== is[name]);
}

const fieldNames = [
  "title",
  "slug",
  "excerpt",
  "coverImage",
  "tags",
  "author",
  "publishedAt",
  "published",
  "content",
] as const;

/** The post that has, or had, this slug. */
export function bySlugOrPrevious(orm: Orm, slug: string): TaggedPost | undefined {
  const found = addresses.ownerOf(orm, slug);
  return found && taggedById(orm, found.id);
}

export const tagged = (orm: Orm, post: Post): TaggedPost => withTags(orm, [post])[0] as TaggedPost;

export function taggedById(orm: Orm, id: string): TaggedPost | undefined {
  const post = orm.select().from(posts).where(eq(posts.id, id)).get();
  return post && tagged(orm, post);
}
