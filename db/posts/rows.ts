import { readingMinutes, wordsIn } from "../lib/text";
import { eq } from "drizzle-orm";
import type { Orm } from "../engine/open";
import { lockTopic } from "../engine/versions";
import { inSlices } from "../async/in-slices";
import * as addresses from "./slugs";
import * as revisions from "./revisions";
import * as postSearch from "./search/search";
import { type Searchable, searchable } from "./search/terms";
import { type Post, posts } from "../schema/posts";
import { announce } from "./announce";
import { matchNames, retag, type Tag, withTags } from "./tags";

/*
 * The row of a post and everything stored with it: tags, search index, previous slugs, revisions. For use inside a
 * transaction.
 */

export type TaggedPost = Post & { tags: Tag[] };
/** The fields a person enters; the rest is derived or recorded. Tags are given by name. */
export type PostFields = Pick<
  Post,
  "slug" | "title" | "excerpt" | "content" | "coverImage" | "author" | "published"
> & {
  publishedAt: Date | null;
  tags: string[];
};

/** Values derived from the text of a post: its search terms, and its reading time. */
export type Derived = { searchable: Searchable; readingTime: number };

/** Call before the write: a long text takes time, and no one else could write in the meantime. */
export const derive = async ({ title, excerpt, content }: Pick<Post, "title" | "excerpt" | "content">) => ({
  searchable: await inSlices(searchable(title, excerpt, content)),
  readingTime: readingMinutes(wordsIn(content)),
});

/** Inserts a post with its tags and search terms. Saves no revision: that happens at the first change. */
export async function insert(orm: Orm, { tags, ...fields }: PostFields, derived: Derived, now: Date): Promise<Post> {
  await lockTopic(orm, "posts");
  const row = await orm
    .insert(posts)
    .values({ ...valuesOf(fields), ...columnsOf(derived), createdAt: now, updatedAt: now })
    .returning()
    .get();
  await postSearch.index(orm, row.row, derived.searchable);
  await retag(orm, row.id, tags);
  await announce(orm, { before: undefined, after: row }, now);
  return row;
}

type Update = {
  fields: PostFields;
  derived: Derived | undefined;
  actor: string;
  /** It comes from a file. */
  isImported?: boolean;
};

/**
 * Updates the post's fields, increments its version and saves the revision. @param derived from the text in `fields`;
 * undefined if it is unchanged
 */
export async function update(
  orm: Orm,
  post: Post,
  { fields: { tags, ...fields }, derived, actor, isImported }: Update,
  now: Date,
): Promise<Post> {
  await lockTopic(orm, "posts");
  await revisions.saveOriginal(orm, post);
  if (fields.slug !== post.slug) await addresses.reservePreviousSlug(orm, post, fields.slug, now);
  const columns = { ...valuesOf(fields), ...(derived && columnsOf(derived)) };
  const next = await orm
    .update(posts)
    .set({ ...columns, deletedAt: null, version: post.version + 1, updatedAt: now })
    .where(eq(posts.id, post.id))
    .returning()
    .get();
  if (derived && next.folded !== post.folded) await postSearch.index(orm, next.row, derived.searchable);
  await retag(orm, next.id, tags);
  await revisions.saveRevision(orm, next, actor, now);
  await announce(orm, { before: post, after: next, isImported }, now);
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

/**
 * Returns the names of the fields that differ. Tags are compared by slug: two spellings of the same tag are no change.
 */
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

/** Returns the post that has, or had, this slug. */
export async function bySlugOrPrevious(orm: Orm, slug: string): Promise<TaggedPost | undefined> {
  const owner = await addresses.ownerOf(orm, slug);
  return owner && (await taggedById(orm, owner.id));
}

export async function tagged(orm: Orm, post: Post): Promise<TaggedPost> {
  const [withItsTags] = await withTags(orm, [post]);
  return withItsTags ?? { ...post, tags: [] };
}

export async function taggedById(orm: Orm, id: string): Promise<TaggedPost | undefined> {
  const post = await orm.select().from(posts).where(eq(posts.id, id)).get();
  return post && (await tagged(orm, post));
}
