import { isNotNull, isNull, type Placeholder, sql } from "drizzle-orm";
import { isReleased, posts } from "../schema/posts";

/* The states of a post, as conditions. For published, see schema/posts.ts, beside the index. */

export const isTrashed = isNotNull(posts.deletedAt);
export const isNotTrashed = isNull(posts.deletedAt);
export const isDraft = sql`${posts.published} = 0 and ${posts.deletedAt} is null`;
/** Released, with a date in the future (D22). */
export const isScheduled = (now: number | Placeholder) => sql`${isReleased} and ${posts.publishedAt} > ${now}`;
/** Worded like the index posts_hidden. */
export const isWithheld = sql`${posts.published} = 0 or ${posts.deletedAt} is not null or ${posts.publishedAt} is null`;
