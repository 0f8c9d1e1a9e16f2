import { isNotNull, isNull, type Placeholder, sql } from "drizzle-orm";
import { isReleased, posts } from "../schema/posts";

/* What a post is at a moment, as conditions. Published: see schema/posts.ts, beside the index. */

export const isTrashed = isNotNull(posts.deletedAt);
export const isNotTrashed = isNull(posts.deletedAt);
export const isDraft = sql`${posts.published} = 0 and ${posts.deletedAt} is null`;
/** Released, and its time is to come (D22). */
export const isScheduled = (now: number | Placeholder) => sql`${isReleased} and ${posts.publishedAt} > ${now}`;
/** What the index posts_hidden holds, in its words. */
export const isWithheld = sql`${posts.published} = 0 or ${posts.deletedAt} is not null or ${posts.publishedAt} is null`;
