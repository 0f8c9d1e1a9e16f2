import { and, desc, eq, sql } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { joined } from "../lib/name-list";
import { postRevisions, posts } from "../schema/posts";
import { withTags } from "./tags/tags";

export type Revision = typeof postRevisions.$inferSelect;
type Post = typeof posts.$inferSelect;

const maxRevisions = 50; // saved revisions kept per post, the newest ones

/** Returns a post as the fields of its form. Times are ISO 8601 in UTC, "" if there is none. */
export const fieldsOf = (post: Omit<Post, "folded" | "row">, tags: { name: string }[]): Record<string, string> => ({
  title: post.title,
  slug: post.slug,
  excerpt: post.excerpt,
  coverImage: post.coverImage,
  tags: joined(tags.map(({ name }) => name)),
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
