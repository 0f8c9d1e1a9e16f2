import { eq, inArray, lte, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../engine/open";
import { posts, scheduledPosts } from "../schema/posts";
import { emit } from "../webhooks/events";

type Post = typeof posts.$inferSelect;
/** What decides whether readers see a post, and what webhooks report about it. */
type SeenPost = Pick<Post, "id" | "slug" | "title" | "published" | "publishedAt" | "deletedAt">;
export const seenColumns = {
  id: posts.id,
  slug: posts.slug,
  title: posts.title,
  published: posts.published,
  publishedAt: posts.publishedAt,
  deletedAt: posts.deletedAt,
};

const { placeholder } = sql;
const unschedule = prepared((orm) =>
  orm
    .delete(scheduledPosts)
    .where(eq(scheduledPosts.postId, placeholder("id")))
    .returning()
    .prepare(),
);
const schedule = prepared((orm) =>
  orm
    .insert(scheduledPosts)
    .values({ postId: placeholder("id"), at: placeholder("at") })
    .prepare(),
);

const isReleased = ({ published, deletedAt }: SeenPost) => published && !deletedAt;
const isVisible = (post: SeenPost, now: Date) =>
  isReleased(post) && post.publishedAt !== null && post.publishedAt <= now;

/**
 * Reports to webhooks what a change means for readers, in its transaction. A post scheduled for later is recorded, to
 * be announced by `announceDue` (P181).
 */
export async function announce(orm: Orm, before: SeenPost | undefined, after: SeenPost, now: Date): Promise<void> {
  const { id, publishedAt } = after;
  const wasWaiting = (await unschedule(orm).all({ id })).length > 0; // perhaps already due, but not announced yet
  if (isReleased(after) && publishedAt && publishedAt > now) await schedule(orm).run({ id, at: publishedAt });
  const wasVisible = before !== undefined && isVisible(before, now) && !wasWaiting;
  if (isVisible(after, now)) await tell(orm, wasVisible ? "post.updated" : "post.published", after, now);
  else if (wasVisible) await tell(orm, "post.unpublished", after, now);
}

/** The same for posts changed by a bulk action. */
export async function announceAll(orm: Orm, before: SeenPost[], now: Date): Promise<void> {
  const ids = before.map(({ id }) => id);
  const after = await orm.select(seenColumns).from(posts).where(inArray(posts.id, ids)).all();
  const byId = new Map(before.map((post) => [post.id, post]));
  for (const post of after) await announce(orm, byId.get(post.id), post, now);
}

/** The same for posts of which something else changed, such as a tag. */
export const announceEdits = async (orm: Orm, ids: string[], now: Date) =>
  announceAll(orm, await orm.select(seenColumns).from(posts).where(inArray(posts.id, ids)).all(), now);

const tell = (orm: Orm, type: `post.${"published" | "updated" | "unpublished"}`, post: SeenPost, now: Date) => {
  const { id, slug, title, publishedAt } = post;
  return emit(orm, type, { id, slug, title, publishedAt: publishedAt?.toISOString() ?? null }, now);
};

const due = prepared((orm) =>
  orm
    .select({ postId: scheduledPosts.postId })
    .from(scheduledPosts)
    .where(lte(scheduledPosts.at, placeholder("now")))
    .limit(100)
    .prepare(),
);

/**
 * Announces the scheduled posts whose time has come, exactly once, whatever restarts in between and however many
 * processes look. Cheap enough to call every second.
 */
export async function announceDue(db: Db, now: Date): Promise<void> {
  if (!(await db.read((orm) => due(orm).get({ now: now.getTime() })))) return;
  await db.write(async (orm) => {
    for (const { postId } of await due(orm).all({ now: now.getTime() })) {
      await unschedule(orm).run({ id: postId });
      const post = await orm.select(seenColumns).from(posts).where(eq(posts.id, postId)).get();
      if (post && isVisible(post, now)) await tell(orm, "post.published", post, now);
    }
  });
}
