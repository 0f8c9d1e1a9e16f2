import type { Post } from "../schema/posts";

/* What state a post is in. The same as conditions of a query: schema/posts.ts, beside the index, and list.ts. */

type Dated = Pick<Post, "publishedAt">;
type Publication = Dated & Pick<Post, "published">;
type Stored = Publication & Pick<Post, "deletedAt">;

/** Whether the publish date is in the future, published or not. */
export const isLater = ({ publishedAt }: Dated, now: Date): boolean => publishedAt !== null && publishedAt > now;

/** Whether the publish date has come, published or not: from then on, readers may know the slug. */
export const isDue = ({ publishedAt }: Dated, now: Date): boolean => publishedAt !== null && publishedAt <= now;

/** The status of a post, also of one in the trash: one that is published in the future is scheduled. */
export function statusOf(post: Publication, now: Date): "draft" | "scheduled" | "published" {
  if (!post.published || !post.publishedAt) return "draft";
  return isLater(post, now) ? "scheduled" : "published";
}

/** Whether the public can read it. */
export const isPublished = (post: Stored, now: Date): boolean => !post.deletedAt && statusOf(post, now) === "published";

/** Whether the public can read it later, without anyone doing anything. */
export const isScheduled = (post: Stored, now: Date): boolean => !post.deletedAt && statusOf(post, now) === "scheduled";

/**
 * Returns where the post with this slug is read.
 *
 * @param postUrl with `{slug}` where the slug belongs
 */
export const postUrlOf = (postUrl: string, slug: string): string => postUrl.replace("{slug}", encodeURIComponent(slug));
