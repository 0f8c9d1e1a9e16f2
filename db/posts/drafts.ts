import { and, eq } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import type { Actor } from "../audit";
import { postRevisions, posts } from "../schema/posts";

/** The form of a post: every field as text, with the body separate. */
export type DraftContent = { fields: Record<string, string>; content: string };

// ── What was typed since ─────────────────────────────────────────────────────────────────────

const draft = (postId: string, savedBy: string) =>
  and(eq(postRevisions.postId, postId), eq(postRevisions.savedBy, savedBy), eq(postRevisions.kind, "draft"));

/** Returns this manager's unsaved draft. */
export const draftOf = (db: Db, postId: string, { actor }: Actor) =>
  db.read((orm) => orm.select().from(postRevisions).where(draft(postId, actor)).get());

/** What a manager has typed, and the version of the post that it is based on. */
type Draft = { postId: string; version: number; typed: DraftContent };

/** Replaces the manager's draft. */
export async function saveDraft(orm: Orm, { postId, version, typed }: Draft, { actor }: Actor, now: Date) {
  await discard(orm, postId, { actor });
  await orm
    .insert(postRevisions)
    .values({ postId, version, ...typed, savedBy: actor, savedAt: now, kind: "draft" })
    .run();
}

/** Saves a draft automatically. Returns false if the post no longer exists. */
export const autosave = (db: Db, { postId, version, typed }: Draft, by: Actor, now: Date) =>
  db.write(async (orm) => {
    const post = await orm.select({ version: posts.version }).from(posts).where(eq(posts.id, postId)).get();
    if (post) await saveDraft(orm, { postId, version, typed }, by, now);
    return post;
  });

export const discard = async (orm: Orm, postId: string, { actor }: Actor) =>
  void (await orm.delete(postRevisions).where(draft(postId, actor)).run());

export const discardDraft = (db: Db, postId: string, by: Actor) => db.write((orm) => discard(orm, postId, by));
