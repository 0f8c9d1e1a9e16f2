import { and, asc, gte, lt } from "drizzle-orm";
import type { Db } from "../engine/open";
import { isReleased, posts } from "../schema/posts";

/** From a moment until before another. */
type Period = { from: Date; until: Date };

/** Returns the published and scheduled posts of a period, in order. */
export const datedIn = (db: Db, { from, until }: Period, max: number) =>
  db.read((orm) =>
    orm
      .select({ id: posts.id, title: posts.title, version: posts.version, publishedAt: posts.publishedAt })
      .from(posts)
      .where(and(isReleased, gte(posts.publishedAt, from), lt(posts.publishedAt, until)))
      .orderBy(asc(posts.publishedAt), asc(posts.id))
      .limit(max)
      .all(),
  );
