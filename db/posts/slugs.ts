import { and, eq, gte, lt } from "drizzle-orm";
import type { Orm } from "../engine/open";
import { posts, postSlugs } from "../schema/posts";
import { slugOf } from "../lib/slug";

/* Where posts are, and where they were: an earlier address stays with its post (P20). */

type Post = Pick<typeof posts.$inferSelect, "id" | "slug" | "publishedAt">;
/** Who has a slug: as the address of now, or as an earlier one that leads to it. */
export type Owner = { id: string; title: string; isPrevious: boolean; isTrashed: boolean };

/** Whoever saw the post where it was is led to where it is. Its own earlier address it may take back. */
export function reservePreviousSlug(orm: Orm, post: Post, slug: string, now: Date): void {
  orm
    .delete(postSlugs)
    .where(and(eq(postSlugs.slug, slug), eq(postSlugs.postId, post.id)))
    .run();
  if (post.publishedAt && post.publishedAt <= now)
    orm.insert(postSlugs).values({ slug: post.slug, postId: post.id, createdAt: now }).run();
}

/** Who has this slug, if anybody. */
export function ownerOf(orm: Orm, slug: string): Owner | undefined {
  const who = { id: posts.id, title: posts.title, deletedAt: posts.deletedAt };
  const now = orm.select(who).from(posts).where(eq(posts.slug, slug)).get();
  const before = now
    ? undefined
    : orm
        .select(who)
        .from(postSlugs)
        .innerJoin(posts, eq(posts.id, postSlugs.postId))
        .where(eq(postSlugs.slug, slug))
        .get();
  const found = now ?? before;
  return found && { id: found.id, title: found.title, isPrevious: !now, isTrashed: found.deletedAt !== null };
}

/** The title as a slug that nobody else has. */
export function freeSlug(orm: Orm, title: string, id?: string): string {
  const base = [...slugOf(title)].slice(0, 90).join("") || "post";
  const holder = ownerOf(orm, base);
  if (!holder || holder.id === id) return base;
  const numbered = (column: typeof posts.slug | typeof postSlugs.slug) =>
    and(gte(column, `${base}-`), lt(column, `${base}.`)); // "." is the sign after "-"
  const taken = new Set(
    [
      ...orm.select({ slug: posts.slug }).from(posts).where(numbered(posts.slug)).all(),
      ...orm.select({ slug: postSlugs.slug }).from(postSlugs).where(numbered(postSlugs.slug)).all(),
    ].map(({ slug }) => slug),
  );
  for (let n = 2; ; n++) if (!taken.has(`${base}-${n}`)) return `${base}-${n}`;
}
