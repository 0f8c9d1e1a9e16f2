import { and, eq, gte, lt } from "drizzle-orm";
import type { Orm } from "../engine/open";
import { type Post, posts, postSlugs } from "../schema/posts";
import { composed, shortSlugOf } from "../lib/text";
import { isDue } from "./rules";

/* Current and previous slugs: a previous slug stays reserved for its post. */

type Addressed = Pick<Post, "id" | "slug" | "publishedAt">;
/** The post that owns a slug: as its current slug, or as a previous one that redirects to it. */
export type Owner = { id: string; title: string; isPrevious: boolean; isTrashed: boolean };

/**
 * Reserves the current slug before it changes, if readers may know it, so that it redirects. A post may take back its
 * own previous slug.
 */
export async function reservePreviousSlug(orm: Orm, post: Addressed, slug: string, now: Date): Promise<void> {
  await orm
    .delete(postSlugs)
    .where(and(eq(postSlugs.slug, slug), eq(postSlugs.postId, post.id)))
    .run();
  if (isDue(post, now)) await orm.insert(postSlugs).values({ slug: post.slug, postId: post.id, createdAt: now }).run();
}

/** Returns the post that owns this slug, if any. */
export async function ownerOf(orm: Orm, slug: string): Promise<Owner | undefined> {
  const who = { id: posts.id, title: posts.title, deletedAt: posts.deletedAt };
  const asked = composed(slug);
  const now = await orm.select(who).from(posts).where(eq(posts.slug, asked)).get();
  const before = now
    ? undefined
    : await orm
        .select(who)
        .from(postSlugs)
        .innerJoin(posts, eq(posts.id, postSlugs.postId))
        .where(eq(postSlugs.slug, asked))
        .get();
  const owner = now ?? before;
  return owner && { id: owner.id, title: owner.title, isPrevious: !now, isTrashed: owner.deletedAt !== null };
}

/** Returns a slug made from the title that no other post has. */
export async function freeSlug(orm: Orm, title: string, id?: string): Promise<string> {
  const base = shortSlugOf(title, 90) || "post";
  const holder = await ownerOf(orm, base);
  if (!holder || holder.id === id) return base;
  const numbered = (column: typeof posts.slug | typeof postSlugs.slug) =>
    and(gte(column, `${base}-`), lt(column, `${base}.`)); // "." is the character after "-"
  const taken = new Set(
    [
      ...(await orm.select({ slug: posts.slug }).from(posts).where(numbered(posts.slug)).all()),
      ...(await orm.select({ slug: postSlugs.slug }).from(postSlugs).where(numbered(postSlugs.slug)).all()),
    ].map(({ slug }) => slug),
  );
  for (let n = 2; ; n++) if (!taken.has(`${base}-${n}`)) return `${base}-${n}`;
}
