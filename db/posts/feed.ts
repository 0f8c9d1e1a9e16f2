import { desc, sql } from "drizzle-orm";
import type { Db } from "../engine/open";
import { isPublished, posts } from "../schema/posts";
import { withTags } from "./tags/tags";

/*
 * What the public can read at a moment (D22), for documents built from many posts. None of these functions reads the
 * posts' content or counts them.
 */

export const newestFirst = [desc(posts.publishedAt), desc(posts.id)];

const columns = {
  id: posts.id,
  slug: posts.slug,
  title: posts.title,
  excerpt: posts.excerpt,
  author: posts.author,
  publishedAt: sql<Date>`${posts.publishedAt}`.mapWith(posts.publishedAt),
  updatedAt: posts.updatedAt,
};

export type Latest = Awaited<ReturnType<typeof latest>>[number];

/** Returns the newest posts with their tags. */
export const latest = (db: Db, limit: number, now: Date) =>
  db.read(async (orm) =>
    withTags(
      orm,
      await orm
        .select(columns)
        .from(posts)
        .where(isPublished(now.getTime()))
        .orderBy(...newestFirst)
        .limit(limit)
        .all(),
    ),
  );
