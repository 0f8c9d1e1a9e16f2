import { and, asc, desc, eq, gt, inArray, isNull, lte, or, type SQL } from "drizzle-orm";
import type { Db, Orm } from "../../engine/open";
import { shortened } from "../../lib/text";
import { dayMs } from "../../lib/time";
import { broadcastLetters, broadcasts } from "../../schema/broadcasts";
import { digests, postMailings, postRules } from "../../schema/mailings";
import { isPublished, type Post, posts } from "../../schema/posts";
import { type Broadcast, find } from "../broadcasts";
import { createIn, editIn } from "../edit";
import { maxSubject } from "../rules";
import { type Confirming, confirmIn, unscheduleIn } from "../states";
import { canBeTakenBack, hasNewsletter, isOurs, reportUnsent, system, trashDraft, type Unsent } from "./due";
import { digestAfter, isTooLate, type PostRule, scheduleOf, timeToStopByRuleMs, weekOf } from "./rules";

/*
 * Weekly digests: posts wait in post_mailings until their rule's time, are gathered in one commit that takes the rule's
 * week, and go out as a broadcast that is written outside of it. A post is in one digest in its life.
 */

/** How many posts a digest has. The others wait for the next one. */
export const maxPosts = 20;

const isOn = and(eq(postRules.becomes, "digest"), isNull(postRules.offReason));
const inMs = (from: Date, ms: number) => new Date(from.getTime() + ms);
/** Due in a few minutes, or planned by a clock that was wrong. */
const isUp = (now: Date) =>
  and(isOn, or(lte(postRules.nextAt, inMs(now, timeToStopByRuleMs)), gt(postRules.nextAt, inMs(now, 8 * dayMs))));

/**
 * Gathers the posts of the digests whose time comes, once whatever processes look. Cheap enough to call every second.
 *
 * @throws what failed, after all others
 */
export async function gatherDue(db: Db, now: Date): Promise<void> {
  const rows = await db.read((orm) => orm.select({ row: postRules.row }).from(postRules).where(isUp(now)).all());
  const errors: unknown[] = [];
  for (const { row } of rows)
    await db.write((orm) => gather(orm, row, now)).catch((error: unknown) => void errors.push(error));
  if (errors.length) throw errors[0];
}

async function gather(orm: Orm, row: number, now: Date): Promise<void> {
  const rule = await orm
    .select()
    .from(postRules)
    .where(and(eq(postRules.row, row), isUp(now)))
    .get();
  const schedule = rule && scheduleOf(rule);
  if (!rule || !schedule || !rule.nextAt) return;
  const at = rule.nextAt;
  const isComing = at <= inMs(now, timeToStopByRuleMs);
  if (isComing) await makeDigest(orm, rule, { at, week: weekOf(at, schedule.zone) }, now);
  const after = isComing && at > now ? at : now;
  const nextAt = (await digestAfter(orm, rule, after))?.at ?? null;
  await orm.update(postRules).set({ nextAt }).where(eq(postRules.row, row)).run();
}

/** Makes a draft of the posts that wait, to be written and scheduled. Without any, there is nothing to send. */
async function makeDigest(orm: Orm, rule: PostRule, { at, week }: { at: Date; week: string }, now: Date) {
  const gathered = await waitingFor(orm, rule, now);
  const [first] = gathered;
  if (!first) return;
  const words = { subject: shortened(first.title, maxSubject), preheader: "", fromName: "", content: "" };
  const fields = { ...words, archive: "listed" as const, segment: {}, topicRow: rule.topicRow };
  const start = at > now ? at : inMs(now, timeToStopByRuleMs);
  const dueAt = isTooLate(at, now) ? at : start;
  const place = { ruleRow: rule.row, week, state: "due" as const, version: 1, dueAt, createdAt: now };
  const digest = await orm.insert(digests).values(place).onConflictDoNothing().returning().get();
  if (!digest) return; // this week's is made already, so they wait for the next one
  const { row: broadcastRow, version } = await createIn(orm, { source: { kind: "own" }, fields }, system, now);
  await orm.update(digests).set({ broadcastRow, version }).where(eq(digests.row, digest.row)).run();
  const these = inArray(
    postMailings.postId,
    gathered.map(({ id }) => id),
  );
  await orm.update(postMailings).set({ state: "done", broadcastRow, dueAt }).where(these).run();
}

/** Returns the posts that the next digest of a rule gathers. Those with a newsletter of their own wait no longer. */
async function waitingFor(orm: Orm, { row }: PostRule, now: Date): Promise<Post[]> {
  const gathered: Post[] = [];
  for (const { post } of await waiting(orm, row, isPublished(now.getTime()))) {
    if (gathered.length === maxPosts) break;
    if (await hasNewsletter(orm, post.id))
      await orm.update(postMailings).set({ state: "done" }).where(eq(postMailings.postId, post.id)).run();
    else gathered.push(post);
  }
  return gathered;
}

/** Returns the posts that wait for a digest of this rule, the earliest first. */
const waiting = (orm: Orm, ruleRow: number, where?: SQL) =>
  orm
    .select({ post: posts })
    .from(postMailings)
    .innerJoin(posts, eq(posts.id, postMailings.postId))
    .where(and(eq(postMailings.ruleRow, ruleRow), eq(postMailings.state, "waiting"), where))
    .orderBy(asc(postMailings.createdAt), asc(posts.id))
    .limit(5 * maxPosts)
    .all();

/** Returns the titles of the posts that wait for a digest of this rule, the earliest first. */
export const titlesWaiting = async (orm: Orm, { row }: PostRule): Promise<string[]> =>
  (await waiting(orm, row)).map(({ post }) => post.title);

/** A digest whose letter is to be written. Its broadcast's ID is null if it is gone. */
export type DueDigest = typeof digests.$inferSelect & { broadcastId: string | null };

export const dueDigests = (db: Db): Promise<DueDigest[]> =>
  db.read(async (orm) => {
    const rows = await orm
      .select({ digest: digests, broadcastId: broadcasts.id })
      .from(digests)
      .leftJoin(broadcasts, eq(broadcasts.row, digests.broadcastRow))
      .where(eq(digests.state, "due"))
      .orderBy(asc(digests.dueAt))
      .limit(10)
      .all();
    return rows.map(({ digest, broadcastId }) => ({ ...digest, broadcastId }));
  });

/** Returns the posts of a digest that the public can read, the newest first. */
export const postsOf = (db: Db, digest: DueDigest, now: Date) => db.read((orm) => postsIn(orm, digest, now));

async function postsIn(orm: Orm, { broadcastRow }: Pick<DueDigest, "broadcastRow">, now: Date): Promise<Post[]> {
  if (broadcastRow === null) return [];
  const rows = await orm
    .select({ post: posts })
    .from(postMailings)
    .innerJoin(posts, eq(posts.id, postMailings.postId))
    .where(and(eq(postMailings.broadcastRow, broadcastRow), isPart, isPublished(now.getTime())))
    .orderBy(desc(posts.publishedAt), desc(posts.id))
    .all();
  return rows.map(({ post }) => post);
}

const isPart = eq(postMailings.becomes, "digest");

const endIn = async (orm: Orm, { row }: Pick<DueDigest, "row">): Promise<boolean> => {
  const these = and(eq(digests.row, row), eq(digests.state, "due"));
  return (await orm.update(digests).set({ state: "done" }).where(these).returning().get()) !== undefined;
};

/** Leaves a digest to the managers, who deal with it already, or have deleted it. */
export const endDigest = (db: Db, digest: DueDigest) => db.write((orm) => endIn(orm, digest));

type Words = { subject: string; preheader: string; content: string };

/**
 * Puts the text into the draft of a digest. `theirs`: a manager has edited, confirmed or deleted it. `over`: another
 * process has scheduled it.
 */
export const writeDigest = (db: Db, { row }: DueDigest, words: Words, now: Date) =>
  db.write(async (orm): Promise<{ version: number } | "theirs" | "over"> => {
    const digest = await orm
      .select({
        state: digests.state,
        version: digests.version,
        broadcast: broadcasts,
        content: broadcastLetters.content,
      })
      .from(digests)
      .innerJoin(broadcasts, eq(broadcasts.row, digests.broadcastRow))
      .innerJoin(broadcastLetters, eq(broadcastLetters.broadcastRow, broadcasts.row))
      .where(eq(digests.row, row))
      .get();
    if (digest?.state !== "due") return "over";
    const { broadcast, content, version } = digest;
    if (broadcast.version !== version || broadcast.state !== "draft" || broadcast.deletedAt) return "theirs";
    const { subject, preheader } = broadcast;
    if (subject === words.subject && preheader === words.preheader && content === words.content) return { version };
    const edited = await editIn(orm, broadcast, words, now);
    if (edited.outcome !== "changed") return "theirs";
    await orm.update(digests).set({ version: edited.broadcast.version }).where(eq(digests.row, row)).run();
    return { version: edited.broadcast.version };
  });

/** Schedules a digest, unless one of its posts has been edited or taken back since its letter was written. */
export const confirmDigest = (
  db: Db,
  digest: DueDigest,
  { confirming, written }: { confirming: Confirming; written: Post[] },
  now: Date,
) =>
  db.write(async (orm): Promise<boolean> => {
    if (stateOf(await postsIn(orm, digest, now)) !== stateOf(written)) return false;
    if (!(await endIn(orm, digest))) return false;
    const { outcome } = await confirmIn(orm, confirming, system, now);
    if (outcome !== "changed") await orm.update(digests).set({ state: "due" }).where(eq(digests.row, digest.row)).run();
    return outcome === "changed";
  });

const stateOf = (of: Post[]) => JSON.stringify(of.map(({ id, version }) => [id, version]));

/** Leaves a digest as a draft. The owner gets an email. */
export const leaveDigestAsDraft = (db: Db, digest: DueDigest, unsent: Unsent, now: Date) =>
  db.write(async (orm): Promise<void> => {
    if (await endIn(orm, digest)) await reportUnsent(orm, digest.broadcastId, unsent, now);
  });

/** Sends nothing of a digest all of whose posts were taken back. */
export const dropDigest = (db: Db, digest: DueDigest, now: Date) =>
  db.write(async (orm): Promise<void> => {
    if (await endIn(orm, digest)) await trashDraft(orm, digest.broadcastId ?? "", now, digest.version);
  });

/** Has the letters of digests written again of which posts were edited, unless a manager deals with them or they have started. */
export async function rewriteDigests(orm: Orm, postIds: string[], now: Date): Promise<void> {
  for (const { digest, broadcast } of await digestsOf(orm, postIds)) await rewrite(orm, digest, broadcast, now);
}

async function rewrite(orm: Orm, digest: Digest, seen: Broadcast, now: Date): Promise<void> {
  const broadcast = await find(orm, seen.id);
  if (!broadcast?.scheduledAt || !isOurs(broadcast)) return;
  const result = await unscheduleIn(orm, { seen: broadcast, because: "post" }, system, now);
  if (result.outcome !== "changed") return;
  const set = { state: "due" as const, version: result.broadcast.version, dueAt: broadcast.scheduledAt };
  await orm.update(digests).set(set).where(eq(digests.row, digest.row)).run();
}

type Digest = typeof digests.$inferSelect;

/** Takes posts that the public can no longer read out of the digests that have not started. They may be in a later one. */
export async function withdrawFromDigests(orm: Orm, postIds: string[], now: Date): Promise<void> {
  if (!postIds.length) return;
  const these = inArray(postMailings.postId, postIds);
  await orm
    .delete(postMailings)
    .where(and(these, eq(postMailings.state, "waiting")))
    .run();
  for (const { digest, broadcast, postId } of await digestsOf(orm, postIds)) {
    if (!canBeTakenBack(digest, broadcast)) continue;
    await orm.delete(postMailings).where(eq(postMailings.postId, postId)).run();
    await rewrite(orm, digest, broadcast, now);
  }
}

/** Returns the digests that these posts are in. */
async function digestsOf(orm: Orm, postIds: string[]) {
  if (!postIds.length) return [];
  return orm
    .select({ postId: postMailings.postId, digest: digests, broadcast: broadcasts })
    .from(postMailings)
    .innerJoin(digests, eq(digests.broadcastRow, postMailings.broadcastRow))
    .innerJoin(broadcasts, eq(broadcasts.row, postMailings.broadcastRow))
    .where(inArray(postMailings.postId, postIds))
    .all();
}
