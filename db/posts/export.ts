import { and, asc, gt, inArray, isNull } from "drizzle-orm";
import type { Db } from "../engine/open";
import type { TaggedPost } from "./rows";
import { posts } from "../schema/posts";
import { withTags } from "./tags/tags";

/**
 * Yields every post outside the trash with its content and tags, in batches, so that any number needs little memory.
 */
export async function* batches(db: Db, size = 100): AsyncGenerator<TaggedPost[]> {
  for (let last = 0; ;) {
    const batch = await db.read(async (orm) => {
      const next = orm
        .select({ row: posts.row })
        .from(posts)
        .where(and(isNull(posts.deletedAt), gt(posts.row, last)))
        .orderBy(asc(posts.row))
        .limit(size);
      return withTags(
        orm,
        await orm.select().from(posts).where(inArray(posts.row, next)).orderBy(asc(posts.row)).all(),
      );
    });
    if (batch.length) yield batch;
    if (batch.length < size) return;
    last = batch.at(-1)?.row ?? last;
    await new Promise((turn) => setImmediate(turn));
  }
}
