import { and, eq, isNull, ne, or, sql } from "drizzle-orm";
import type { Orm } from "../../engine/open";
import { dayMs } from "../../lib/time";
import { broadcasts } from "../../schema/broadcasts";
import { apply, type Broadcast } from "../broadcasts";

/* What all newsletters have in common that rules make. */

/** Who makes what the rules say. */
export const system = { actor: "system" };

/** How long before it starts a newsletter is scheduled that goes out by itself: the time to stop it. */
export const graceMs = 600_000;

/** A post with an earlier date is not new. */
export const newSince = (now: Date): Date => new Date(now.getTime() - 7 * dayMs);
export const isNew = (publishedAt: Date, now: Date): boolean => publishedAt >= newSince(now);

/** Whether what was due then is no longer sent by itself. */
export const isTooLate = (dueAt: Date, now: Date): boolean => now.getTime() - dueAt.getTime() > dayMs;

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

/** A text of a post as the subject or preheader of its newsletter. */
export const shortened = (text: string) => [...text].slice(0, 150).join("");
