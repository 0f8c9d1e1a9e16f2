import { and, asc, eq, isNull, ne, or, sql } from "drizzle-orm";
import type { Db, Orm } from "../../engine/open";
import * as outbox from "../../mail/outbox";
import { broadcasts } from "../../schema/broadcasts";
import { postMailings } from "../../schema/mailings";
import { posts } from "../../schema/posts";
import { apply, type Broadcast } from "../broadcasts";
import { confirmIn, type Confirming } from "../states";

/* The broadcasts made by rules whose letter is still to be written, which happens outside the commit that made them. */

/** A broadcast to be scheduled for `dueAt`; its ID is null if it is gone. */
export type Due = { postId: string; broadcastId: string | null; dueAt: Date | null };

/** Returns some of them. Cheap enough to call every second. */
export const dueMailings = (db: Db): Promise<Due[]> =>
  db.read((orm) =>
    orm
      .select({ postId: postMailings.postId, broadcastId: broadcasts.id, dueAt: postMailings.dueAt })
      .from(postMailings)
      .leftJoin(broadcasts, eq(broadcasts.row, postMailings.broadcastRow))
      .where(isDue)
      .orderBy(asc(postMailings.dueAt))
      .limit(10)
      .all(),
  );

const isDue = eq(postMailings.state, "due");

const end = async (orm: Orm, { postId }: Due, set: { becomes?: "draft" } = {}): Promise<boolean> => {
  const these = and(eq(postMailings.postId, postId), isDue);
  const ended = await orm
    .update(postMailings)
    .set({ ...set, state: "done" })
    .where(these)
    .returning()
    .get();
  return ended !== undefined;
};

/** Schedules one of them, unless the post has been taken back or edited since its letter was written. */
export const confirmDue = (db: Db, due: Due, confirming: Confirming, now: Date) =>
  db.write(async (orm): Promise<boolean> => {
    const post = await orm.select({ version: posts.version }).from(posts).where(eq(posts.id, due.postId)).get();
    if (post?.version !== confirming.to.postVersion || !(await end(orm, due))) return false;
    const { outcome } = await confirmIn(orm, confirming, system, now);
    if (outcome !== "changed")
      await orm.update(postMailings).set({ state: "due" }).where(eq(postMailings.postId, due.postId)).run();
    return outcome === "changed";
  });

/** Leaves one of them to the managers, who deal with it already, or have deleted it. */
export const endDue = (db: Db, due: Due) => db.write((orm) => end(orm, due));

/** Why something is not sent, and who is told. */
export type Unsent = { reason: "late" | "checks"; detail: string; notify: string | undefined };

/** Leaves one of them as a draft. The owner gets an email. */
export const leaveAsDraft = (db: Db, due: Due, unsent: Unsent, now: Date) =>
  db.write(async (orm): Promise<void> => {
    if (await end(orm, due, { becomes: "draft" })) await reportUnsent(orm, due.broadcastId, unsent, now);
  });

/** Tells the owner that a newsletter is a draft that should have been sent. */
export async function reportUnsent(
  orm: Orm,
  subjectId: string | null,
  { reason, detail, notify }: Unsent,
  now: Date,
): Promise<void> {
  if (!notify) return;
  const payload = { about: "not-sent", reason, detail: detail.slice(0, 300) };
  await outbox.enqueue(orm, { kind: "notice", recipient: notify, subjectId, payload }, now);
}

/* What all newsletters have in common that rules make. */

/** Who makes what the rules say. */
export const system = { actor: "system" };

/** Whether it was confirmed by a rule, and has not started. */
export const isOurs = ({ state, confirmedBy, deletedAt }: Broadcast) =>
  state === "scheduled" && confirmedBy === system.actor && deletedAt === null;

/** Whether it can be taken back: not confirmed yet, or confirmed by a rule and not started. Managers keep what they sent. */
export const canBeTakenBack = ({ state }: { state: string }, broadcast: Broadcast): boolean =>
  (state === "due" && broadcast.state === "draft") || isOurs(broadcast);

/** Moves a draft that a rule made to the trash, because its post is not public any more. */
export async function trashDraft(orm: Orm, id: string, now: Date, version?: number): Promise<void> {
  const isSeen = version === undefined ? undefined : eq(broadcasts.version, version);
  const where = and(eq(broadcasts.state, "draft"), isNull(broadcasts.deletedAt), isSeen);
  await apply(orm, { id, where, set: { deletedAt: now }, verb: "trash", details: { because: "post" } }, system, now);
}

/** Whether managers deal with the newsletter of this post themselves. */
export async function hasNewsletter(orm: Orm, postId: string): Promise<boolean> {
  const isOwn = or(ne(broadcasts.state, "cancelled"), sql`${broadcasts.startedAt} is not null`);
  const own = and(eq(broadcasts.postId, postId), eq(broadcasts.kind, "post"), isNull(broadcasts.deletedAt), isOwn);
  return Boolean(await orm.select({ row: broadcasts.row }).from(broadcasts).where(own).limit(1).get());
}
