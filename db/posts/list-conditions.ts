import { and, isNotNull, isNull, type Placeholder, type SQL, sql } from "drizzle-orm";
import type { Orm } from "../engine/open";
import { firstRows, isOneOf } from "../lib/row-ids";
import { isPublished, isReleased, posts, postTags } from "../schema/posts";
import * as postSearch from "./search/search";

export type PostStatus = "draft" | "scheduled" | "published" | "trash";
/** A manager's filter. An absent field does not filter; without a status, everything outside the trash matches. */
export type PostFilter = { q?: string | undefined; status?: PostStatus | undefined; tag?: string | undefined };

const maxLookedUp = 10_000; // matches whose row IDs are kept in memory
const sampleSize = 3_000; // of these, how many are tried first when counting
export const maxCounted = 1_000; // matches that are counted and sorted; beyond that, posts are read in order until the page is full

// ── Conditions ───────────────────────────────────────────────────────────────────────────────

export const isTrashed = isNotNull(posts.deletedAt);
export const isNotTrashed = isNull(posts.deletedAt);
export const isDraft = sql`${posts.published} = 0 and ${posts.deletedAt} is null`;
/** Released, with a date in the future (D22). */
export const isScheduled = (now: number | Placeholder) => sql`${isReleased} and ${posts.publishedAt} > ${now}`;
/** Worded like the index posts_hidden. */
export const isWithheld = sql`${posts.published} = 0 or ${posts.deletedAt} is not null or ${posts.publishedAt} is null`;

export const statusIs: Record<PostStatus, (now: Date) => SQL> = {
  draft: () => isDraft,
  scheduled: (now) => isScheduled(now.getTime()),
  published: (now) => isPublished(now.getTime()),
  trash: () => isTrashed,
};

/** Rare properties are looked up as row IDs; common ones are tested on each post. */
export const among = async (orm: Orm, { status, tag }: Omit<PostFilter, "q">, now: Date): Promise<SQL | undefined> =>
  and(await inState(orm, status, now), tag ? ((await rowsIfFew(orm, rowsTagged(tag))) ?? isTagged(tag)) : undefined);

/** The same condition for reading in order and for counting. `sample`: part of the matches, if there are many. */
export type TextCondition = { forReading: SQL; forCounting: SQL; sample?: SQL };

/**
 * Returns the text search as conditions: for reading in order until a page is full, and for counting. Up to a thousand
 * matches are looked up by row. A few thousand are known by row too, but reading an index in order meets them sooner
 * (the plus keeps SQLite from looking them up). Beyond that they are so frequent that the texts themselves are read.
 */
export async function textCondition(orm: Orm, text: string): Promise<TextCondition> {
  const found = await firstRows(orm, postSearch.matchingRows(orm, text), maxLookedUp);
  const forCounting = isOneOf(posts.row, found);
  if (found.count <= maxCounted) return { forReading: forCounting, forCounting };
  const sample = isOneOf(posts.row, found, sampleSize);
  if (found.count <= maxLookedUp) return { forReading: isOneOf(sql`+${posts.row}`, found), forCounting, sample };
  const forReading = sql`instr(${posts.folded}, ${text}) > 0`;
  return { forReading, forCounting: forReading, sample };
}

/** Most posts are published; the other states may be rare among them. */
async function inState(orm: Orm, status: PostStatus | undefined, now: Date): Promise<SQL | undefined> {
  if (!status) return isNotTrashed;
  const condition = statusIs[status](now);
  if (status === "published") return condition;
  return (await rowsIfFew(orm, sql`select ${posts.row} from ${posts} where ${condition}`)) ?? condition;
}

/** Condition: one of these rows, if there are few. */
async function rowsIfFew(orm: Orm, rows: SQL): Promise<SQL | undefined> {
  const found = await firstRows(orm, rows, maxCounted);
  return found.count > maxCounted ? undefined : isOneOf(posts.row, found);
}

const rowsTagged = (tag: string) =>
  sql`select ${posts.row} from ${postTags} join ${posts} on ${posts.id} = ${postTags.postId} where ${postTags.tagSlug} = ${tag}`;
export const isTagged = (tag: string) =>
  sql`exists (select 1 from ${postTags} where ${postTags.postId} = ${posts.id} and ${postTags.tagSlug} = ${tag})`;
