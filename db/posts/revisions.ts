import { and, desc, eq, sql } from "drizzle-orm";
import type { Actor } from "../audit";
import type { Db, Orm } from "../engine/open";
import { joinNames } from "../lib/text";
import { type Post, postRevisions, posts } from "../schema/posts";
import { withTags } from "./tags";

export type Revision = typeof postRevisions.$inferSelect;

const maxRevisions = 50; // saved revisions kept per post, the newest ones

/** Returns a post as the fields of its form. Times are ISO 8601 in UTC, "" if there is none. */
export const fieldsOf = (post: Omit<Post, "folded" | "row">, tags: { name: string }[]): Record<string, string> => ({
  title: post.title,
  slug: post.slug,
  excerpt: post.excerpt,
  coverImage: post.coverImage,
  tags: joinNames(tags.map(({ name }) => name)),
  author: post.author,
  publishedAt: post.publishedAt?.toISOString() ?? "",
  published: post.published ? "yes" : "",
});

// ── What was saved ───────────────────────────────────────────────────────────────────────────

/** Saves the post's current state as a revision, and keeps the newest fifty in total. */
export async function saveRevision(orm: Orm, post: Post, savedBy: string, savedAt: Date): Promise<void> {
  const [tagged = { tags: [] }] = await withTags(orm, [post]);
  const { id: postId, version, content } = post;
  const fields = fieldsOf(post, tagged.tags);
  await orm.insert(postRevisions).values({ postId, version, fields, content, savedBy, savedAt, kind: "saved" }).run();
  await orm.run(sql`delete from ${postRevisions} where id in (
    select id from ${postRevisions} where post_id = ${postId} and kind = 'saved'
    order by saved_at desc, id desc limit ${maxRevisions} offset ${maxRevisions})`);
}

/** Saves the post's state before a change, unless it is already saved: bulk actions do not save revisions. */
export async function saveOriginal(orm: Orm, post: Post): Promise<void> {
  const last = await latest(orm, post.id);
  if (last?.version !== post.version) await saveRevision(orm, post, last ? "bulk" : "import", post.updatedAt);
}

/** Returns who saved this version of the post; undefined if it was created by a bulk action or an import. */
export async function savedAs(orm: Orm, { id, version }: Pick<Post, "id" | "version">) {
  const last = await latest(orm, id);
  return last?.version === version ? last : undefined;
}

/** Returns who saved the post last, and when; undefined if it was only imported. */
const latest = (orm: Orm, postId: string) =>
  orm
    .select({ version: postRevisions.version, savedBy: postRevisions.savedBy, savedAt: postRevisions.savedAt })
    .from(postRevisions)
    .where(saved(postId))
    .orderBy(desc(postRevisions.savedAt), desc(postRevisions.id))
    .limit(1)
    .get();

/** Returns the saved revisions of a post, newest first, at most fifty. */
export const list = (db: Db, postId: string): Promise<Revision[]> =>
  db.read((orm) =>
    orm
      .select()
      .from(postRevisions)
      .where(saved(postId))
      .orderBy(desc(postRevisions.savedAt), desc(postRevisions.id))
      .all(),
  );

const saved = (postId: string) => and(eq(postRevisions.postId, postId), eq(postRevisions.kind, "saved"));

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
