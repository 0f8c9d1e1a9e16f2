import { lte, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../engine/open";
import { type Post, posts, scheduledPosts } from "../schema/posts";
import { hasId } from "../lib/rows";
import { mailEdited, mailPublished, mailWithdrawn } from "../broadcasts/from-posts/mailings";
import { followPosts } from "../broadcasts/with-post";
import { emitAll } from "../events/webhook-events";
import { isPublished, isScheduled } from "./rules";

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
    .where(sql`${scheduledPosts.postId} in (select value from json_each(${placeholder("ids")}))`)
    .returning()
    .prepare(),
);
const schedule = prepared((orm) =>
  orm
    .insert(scheduledPosts)
    .values({ postId: placeholder("id"), at: placeholder("at") })
    .prepare(),
);

type Changed = {
  before: SeenPost | undefined;
  after: SeenPost;
  /** It comes from a file. */
  isImported?: boolean | undefined;
};

/**
 * Does what a change means for readers, in its transaction: webhooks are told, a broadcast that goes out with the post
 * follows it, and rules are applied. A post scheduled for later is recorded, to be announced by `announceDue`.
 */
export const announce = (orm: Orm, changed: Changed, now: Date): Promise<void> => announceChanges(orm, [changed], now);

/** The same for posts changed by a bulk action. */
export async function announceAll(orm: Orm, before: SeenPost[], now: Date): Promise<void> {
  const byId = new Map(before.map((post) => [post.id, post]));
  const changed = await seen(orm, [...byId.keys()]);
  await announceChanges(
    orm,
    changed.map((after) => ({ before: byId.get(after.id), after })),
    now,
  );
}

/** The same for posts of which something else changed, such as a tag. */
export async function announceEdits(orm: Orm, ids: string[], now: Date): Promise<void> {
  const edited = await seen(orm, ids);
  await announceChanges(
    orm,
    edited.map((post) => ({ before: post, after: post })),
    now,
  );
}

const seen = (orm: Orm, ids: string[]): Promise<SeenPost[]> =>
  orm.select(seenColumns).from(posts).where(hasId(posts.id, ids)).all();

async function announceChanges(orm: Orm, changed: Changed[], now: Date): Promise<void> {
  const ids = JSON.stringify(changed.map(({ after }) => after.id));
  const waiting = new Set((await unschedule(orm).all({ ids })).map(({ postId }) => postId)); // perhaps already due, but not announced yet
  for (const { after } of changed) {
    const { id, publishedAt } = after;
    if (publishedAt && isScheduled(after, now)) await schedule(orm).run({ id, at: publishedAt });
  }
  await followPosts(
    orm,
    changed.flatMap(({ before, after }) => (before ? [after] : [])),
    now,
  );
  const wasVisible = ({ before, after }: Changed) =>
    before !== undefined && isPublished(before, now) && !waiting.has(after.id);
  const byEvent = Map.groupBy(changed, (each): PostEvent | undefined => {
    if (isPublished(each.after, now)) return wasVisible(each) ? "post.updated" : "post.published";
    return wasVisible(each) ? "post.unpublished" : undefined;
  });
  const published = byEvent.get("post.published") ?? [];
  const edited = byEvent.get("post.updated") ?? [];
  const withdrawn = byEvent.get("post.unpublished") ?? [];
  const events = [
    ...eventsOf("post.published", published),
    ...eventsOf("post.updated", edited),
    ...eventsOf("post.unpublished", withdrawn),
  ];
  await emitAll(orm, events, now);
  const isNew = published.map(({ before, after, isImported = !before }) => ({
    ...after,
    isImported,
    wasScheduled: false,
  }));
  await mailPublished(orm, isNew, now);
  await mailEdited(orm, idsOf(edited), now);
  await mailWithdrawn(orm, idsOf(withdrawn), now);
}

const idsOf = (changed: Changed[]) => changed.map(({ after }) => after.id);
const eventsOf = (type: PostEvent, changed: Changed[]) => changed.map(({ after }) => eventOf(type, after));

type PostEvent = `post.${"published" | "updated" | "unpublished"}`;

const eventOf = (type: PostEvent, post: SeenPost) => {
  const { id, slug, title, publishedAt } = post;
  return { type, data: { id, slug, title, publishedAt: publishedAt?.toISOString() ?? null } };
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
 * Announces the scheduled posts whose time has come. Nobody publishes them: their date is compared in every query
 * (`isPublished` in `db/schema/posts.ts`), and kept pages end with `nextScheduled`. What follows happens here, exactly
 * once, whatever restarts in between and however many processes look: webhooks are told, and the first rule that fits
 * makes a draft, a newsletter that starts ten minutes later, or a part of the next digest (`mailPublished` in
 * `db/broadcasts/from-posts/mailings.ts`, which leaves a draft if it is more than a day late). A broadcast that was scheduled with the post
 * starts by itself. Called every second by the sender of webhooks, because it costs one read.
 */
export async function announceDue(db: Db, now: Date): Promise<void> {
  if (!(await db.read((orm) => due(orm).get({ now: now.getTime() })))) return;
  await db.write(async (orm) => {
    const ids = (await due(orm).all({ now: now.getTime() })).map(({ postId }) => postId);
    await unschedule(orm).run({ ids: JSON.stringify(ids) });
    const byId = new Map((await seen(orm, ids)).map((post) => [post.id, post]));
    const visible = ids.flatMap((id) => byId.get(id) ?? []).filter((post) => isPublished(post, now));
    await emitAll(
      orm,
      visible.map((post) => eventOf("post.published", post)),
      now,
    );
    const isNew = visible.map((post) => ({ ...post, isImported: false, wasScheduled: true }));
    await mailPublished(orm, isNew, now);
  });
}
