import { and, asc, eq } from "drizzle-orm";
import type { Db, Orm } from "../../engine/open";
import * as outbox from "../../mail/outbox";
import { broadcasts } from "../../schema/broadcasts";
import { postMailings } from "../../schema/mailings";
import { posts } from "../../schema/posts";
import { type Confirming, confirmIn } from "../states";
import { system } from "./newsletters";

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
