import { and, eq, inArray } from "drizzle-orm";
import type { Db, Orm } from "../../engine/open";
import { shortened } from "../../lib/text";
import { broadcasts } from "../../schema/broadcasts";
import { postMailings } from "../../schema/mailings";
import { posts } from "../../schema/posts";
import type { Broadcast } from "../broadcasts";
import { createIn } from "../edit";
import { maxSubject } from "../rules";
import { unscheduleIn } from "../states";
import { rewriteDigests, withdrawFromDigests } from "./digests";
import { canBeTakenBack, hasNewsletter, isOurs, system, trashDraft } from "./due";
import { allRules, digestAfter, isNew, isTooLate, type PostRule, ruleFor, timeToStopByRuleMs } from "./rules";

/*
 * What becomes of posts by the rules, in the commits that publish, edit and take them back. A post has at most one row of
 * post_mailings in its life, so no order of events sends it twice.
 */

/** Of more posts that are published at once, none is sent by itself. */
const maxAtOnce = 3;

type PublishedPost = {
  id: string;
  publishedAt: Date | null;
  /** It comes from a file. */
  isImported: boolean;
  /** It was to become public by itself, at its date. */
  wasScheduled: boolean;
};

type Mailing = typeof postMailings.$inferSelect;

const setMailing = (orm: Orm, postId: string, set: Partial<Mailing>) =>
  orm.update(postMailings).set(set).where(eq(postMailings.postId, postId)).run();

/** Applies the rules to posts that the public can read from now on. */
export async function mailPublished(orm: Orm, published: PublishedPost[], now: Date): Promise<void> {
  if (!published.length) return;
  const rows = published.map(({ id }) => ({
    postId: id,
    becomes: "none" as const,
    state: "done" as const,
    createdAt: now,
  }));
  const inserted = await orm
    .insert(postMailings)
    .values(rows)
    .onConflictDoNothing()
    .returning({ id: postMailings.postId })
    .all();
  const first = new Set(inserted.map(({ id }) => id));
  const isEligible = ({ id, publishedAt, isImported }: PublishedPost) =>
    first.has(id) && !isImported && publishedAt !== null && isNew(publishedAt, now);
  const eligible = published.filter(isEligible);
  const rules = eligible.length ? await allRules(orm) : [];
  const isBulk = eligible.length > maxAtOnce;
  for (const post of rules.length ? eligible : []) {
    const rule = await ruleFor(orm, rules, post.id);
    if (rule) await applyRule(orm, rule, { post, isBulk }, now);
  }
}

/** What the rules make of a post: a newsletter of its own, or a part of the digest that goes out then. */
export type Foreseen = { becomes: "draft" | "send" } | { becomes: "digest"; at: Date };

/** What the rules would make of a post that gets this date; undefined: nothing. */
export const foreseen = (db: Db, { id, at }: { id: string; at: Date }, now: Date) =>
  db.read(async (orm): Promise<Foreseen | undefined> => {
    if (!isNew(at, now)) return;
    const rule = await ruleFor(orm, await allRules(orm), id);
    if (!rule || rule.becomes === "none") return;
    const { postId } = postMailings;
    const earlier = await orm.select({ postId }).from(postMailings).where(eq(postId, id)).get();
    if (earlier || (await hasNewsletter(orm, id))) return;
    const { becomes } = rule;
    if (becomes !== "digest") return { becomes };
    const occurrence = await digestAfter(
      orm,
      rule,
      new Date(Math.max(at.getTime(), now.getTime()) + timeToStopByRuleMs),
    );
    return occurrence && { becomes, at: occurrence.at };
  });

type Publication = { post: PublishedPost; isBulk: boolean };

async function applyRule(orm: Orm, rule: PostRule, { post, isBulk }: Publication, now: Date): Promise<void> {
  const ruleRow = rule.row;
  if (rule.becomes === "none") return void (await setMailing(orm, post.id, { ruleRow }));
  if (await hasNewsletter(orm, post.id)) return;
  if (rule.becomes === "digest")
    return void (await setMailing(orm, post.id, { becomes: "digest", state: "waiting", ruleRow }));
  const broadcast = await draftOf(orm, rule, post.id, now);
  const isSent = rule.becomes === "send" && !isBulk;
  const how = isSent ? ({ becomes: "send", state: "due" } as const) : ({ becomes: "draft" } as const);
  const dueAt = new Date(startOf(post, now).getTime() + timeToStopByRuleMs);
  await setMailing(orm, post.id, { ...how, ruleRow, broadcastRow: broadcast.row, dueAt });
}

/** Now, or when it should have been, if that is more than a day ago (`isTooLate`): then the newsletter stays a draft. */
function startOf({ publishedAt, wasScheduled }: PublishedPost, now: Date): Date {
  const isLate =
    wasScheduled && publishedAt !== null && isTooLate(new Date(publishedAt.getTime() + timeToStopByRuleMs), now);
  return isLate ? publishedAt : now;
}

async function draftOf(orm: Orm, { topicRow }: PostRule, postId: string, now: Date): Promise<Broadcast> {
  const { title, excerpt } = posts;
  const post = await orm.select({ title, excerpt }).from(posts).where(eq(posts.id, postId)).get();
  const words = {
    subject: shortened(post?.title ?? "", maxSubject),
    preheader: shortened(post?.excerpt ?? "", maxSubject),
  };
  const fields = { ...words, fromName: "", archive: "listed" as const, segment: {}, content: "", topicRow };
  return createIn(orm, { source: { kind: "post", postId }, fields }, system, now);
}

/** Has the letters of posts that were edited written again, unless a manager deals with them or they have started. */
export async function mailEdited(orm: Orm, postIds: string[], now: Date): Promise<void> {
  for (const { mailing, broadcast } of await sentByRules(orm, postIds)) {
    if (!broadcast || !isOurs(broadcast)) continue;
    const { outcome } = await unscheduleIn(orm, { seen: broadcast, because: "post" }, system, now);
    if (outcome === "changed") await setMailing(orm, mailing.postId, { state: "due", dueAt: broadcast.scheduledAt });
  }
  await rewriteDigests(orm, postIds, now);
}

/**
 * Cancels what would have been sent of posts that the public can no longer read; they may be sent when they are published
 * again. What has started, or is in a manager's hands, stays, and the post is never sent by a rule again.
 */
export async function mailWithdrawn(orm: Orm, postIds: string[], now: Date): Promise<void> {
  for (const { mailing, broadcast } of await sentByRules(orm, postIds)) {
    if (!broadcast || !canBeTakenBack(mailing, broadcast)) continue;
    if (isOurs(broadcast)) await unscheduleIn(orm, { seen: broadcast, because: "post" }, system, now);
    await trashDraft(orm, broadcast.id, now);
    await orm.delete(postMailings).where(eq(postMailings.postId, mailing.postId)).run();
  }
  await withdrawFromDigests(orm, postIds, now);
}

/** What is or was sent of these posts without a manager. */
async function sentByRules(orm: Orm, postIds: string[]) {
  if (!postIds.length) return [];
  return orm
    .select({ mailing: postMailings, broadcast: broadcasts })
    .from(postMailings)
    .leftJoin(broadcasts, eq(broadcasts.row, postMailings.broadcastRow))
    .where(and(inArray(postMailings.postId, postIds), eq(postMailings.becomes, "send")))
    .all();
}
