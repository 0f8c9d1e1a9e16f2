import { and, desc, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { broadcasts } from "../schema/broadcasts";
import type { Post } from "../schema/posts";
import { apply, type Broadcast } from "./broadcasts";
import { timeToStopMs } from "./rules";
import { unscheduleIn } from "./states";

/*
 * A post and the broadcast that was published or scheduled with it: neither goes out without the other, unless a manager
 * separates them. What becomes of the post becomes of the broadcast, in the same transaction.
 */

type State = Pick<Post, "id" | "published" | "publishedAt" | "deletedAt">;

/** Returns the broadcasts of a post, newest first. */
export const ofPost = (db: Db, postId: string): Promise<Broadcast[]> =>
  db.read((orm) =>
    orm
      .select()
      .from(broadcasts)
      .where(and(eq(broadcasts.postId, postId), eq(broadcasts.kind, "post"), isNull(broadcasts.deletedAt)))
      .orderBy(desc(broadcasts.row))
      .limit(20)
      .all(),
  );

const isWaiting = and(
  sql`${broadcasts.state} = 'scheduled'`,
  eq(broadcasts.withPost, true),
  isNull(broadcasts.deletedAt),
);

/** Lets the scheduled broadcasts of these posts follow: moved with them, or back to drafts. For use in the change. */
export async function followPosts(orm: Orm, changed: State[], now: Date): Promise<void> {
  const ids = changed.map(({ id }) => id);
  if (!ids.length) return;
  const waiting = await orm
    .select()
    .from(broadcasts)
    .where(and(isWaiting, inArray(broadcasts.postId, ids)))
    .all();
  const byId = new Map(changed.map((post) => [post.id, post]));
  for (const broadcast of waiting) {
    const post = byId.get(broadcast.postId ?? "");
    if (post) await follow(orm, broadcast, post, now);
  }
}

const system = { actor: "system" };

async function follow(orm: Orm, broadcast: Broadcast, post: State, now: Date): Promise<void> {
  if (!post.published || !post.publishedAt || post.deletedAt) {
    await unscheduleIn(orm, { seen: broadcast, because: "post" }, system, now);
    return;
  }
  const isAhead = post.publishedAt > now;
  const at = isAhead ? post.publishedAt : new Date(now.getTime() + timeToStopMs);
  const { id, scheduledAt } = broadcast;
  if (scheduledAt && (isAhead ? scheduledAt.getTime() === at.getTime() : scheduledAt <= at)) return;
  const set = { scheduledAt: at };
  const details = { at: at.toISOString() };
  await apply(orm, { id, where: isWaiting, set, verb: "move", details }, system, now);
}
