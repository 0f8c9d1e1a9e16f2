import { eq } from "drizzle-orm";
import type { Orm } from "../engine/open";
import { foldAll } from "../lib/fold";
import * as addresses from "./slugs";
import * as revisions from "./revisions";
import * as postSearch from "./search";
import { posts } from "../schema/posts";
import { named, retag, type Tag, withTags } from "./tags";

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

/** A new post with its tags, findable. It keeps no revision: what it is now is one when it is changed. */
export function insert(orm: Orm, { tags, ...fields }: PostFields, now: Date): Post {
  const row = orm
    .insert(posts)
    .values({ ...valuesOf(fields), createdAt: now, updatedAt: now })
    .returning()
    .get();
  postSearch.index(orm, row.row, row.folded);
  retag(orm, row.id, tags);
  return row;
}

/** The post with other fields, a version further, and the revision of it. */
export function update(orm: Orm, post: Post, { tags, ...fields }: PostFields, actor: string, now: Date): Post {
  revisions.keepBefore(orm, post);
  if (fields.slug !== post.slug) addresses.leaveAddress(orm, post, fields.slug, now);
  const next = orm
    .update(posts)
    .set({ ...valuesOf(fields), deletedAt: null, version: post.version + 1, updatedAt: now })
    .where(eq(posts.id, post.id))
    .returning()
    .get();
  if (next.folded !== post.folded) postSearch.index(orm, next.row, next.folded);
  retag(orm, next.id, tags);
  revisions.keep(orm, next, actor, now);
  return next;
}

const valuesOf = ({
  slug,
  title,
  excerpt,
  content,
  coverImage,
  author,
  published,
  publishedAt,
}: Omit<PostFields, "tags">) => ({
  ...{ slug, title, excerpt, content, coverImage, author, published, publishedAt },
  readingTime: readingTime(content),
  folded: foldAll(title, excerpt, content),
});

/** Whole minutes at 200 words a minute, at least one. */
const readingTime = (content: string) => Math.max(1, Math.ceil(content.split(/\s+/).filter(Boolean).length / 200));

/** Which fields would be another. Tags are compared by what they mean: two spellings of one are no change. */
export function changesOf(post: TaggedPost, fields: PostFields): string[] {
  const slugs = (tags: Tag[]) => tags.map(({ slug }) => slug).join();
  const is = { ...post, tags: slugs(post.tags), publishedAt: Number(post.publishedAt) };
  const said = { ...fields, tags: slugs(named(fields.tags, post.tags)), publishedAt: Number(fields.publishedAt) };
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
export function bySlugOrEarlier(orm: Orm, slug: string): TaggedPost | undefined {
  const found = addresses.ownerOf(orm, slug);
  return found && taggedById(orm, found.id);
}

export const tagged = (orm: Orm, post: Post): TaggedPost => withTags(orm, [post])[0] as TaggedPost;

export function taggedById(orm: Orm, id: string): TaggedPost | undefined {
  const post = orm.select().from(posts).where(eq(posts.id, id)).get();
  return post && tagged(orm, post);
}
