import { and, eq, sql } from "drizzle-orm";
import type { Db, Orm } from "../../engine/open";
import { hold } from "../../engine/versions";
import * as audit from "../../audit";
import { giveWay, rowsPerCommit } from "../../lib/bulk";
import { hasId } from "../../lib/rows";
import { posts, postTags, tags } from "../../schema/posts";
import { retagRules } from "../../broadcasts/from-posts/rules";
import { announceEdits } from "../announce";
import { type CountedTag, find, type Tag } from "./tags";

type Renamed = { outcome: "renamed"; tag: Tag } | { outcome: "gone" } | { outcome: "taken"; by: CountedTag };

/** Changes the tag's name, slug or both; its posts stay tagged. The slug of another tag is rejected: use `merge`. */
export async function rename(
  db: Db,
  { slug, to }: { slug: string; to: Tag },
  by: audit.Actor,
  now: Date,
): Promise<Renamed> {
  let isDone = true;
  const refusal = await db.write(async (orm): Promise<Renamed | undefined> => {
    await hold(orm, "posts");
    const before = await find(orm, slug);
    if (!before) return { outcome: "gone" };
    const other = to.slug === slug ? undefined : await find(orm, to.slug);
    if (other) return { outcome: "taken", by: other };
    if (to.slug === slug) await orm.update(tags).set({ name: to.name }).where(eq(tags.slug, slug)).run();
    else await orm.insert(tags).values(to).run();
    const details = { name: change(before.name, to.name), slug: change(slug, to.slug) };
    await audit.record(orm, { ...by, action: "tag.rename", targetId: to.slug, target: to.name, details }, now);
    isDone = to.slug === slug || (await step(orm, slug, to.slug, now));
  });
  if (refusal) return refusal;
  if (!isDone) await reassignPosts(db, slug, to.slug, now);
  return { outcome: "renamed", tag: to };
}

/**
 * Replaces one tag by another on all posts, and deletes the first. Returns undefined if either does not exist, or they
 * are the same.
 */
export async function merge(db: Db, { from, into }: { from: string; into: string }, by: audit.Actor, now: Date) {
  let isDone = true;
  const merged = await db.write(async (orm) => {
    await hold(orm, "posts");
    const [tag, other] = [await find(orm, from), await find(orm, into)];
    if (!tag || !other || from === into) return;
    const details = { into: other.name, posts: String(tag.posts) };
    await audit.record(orm, { ...by, action: "tag.merge", targetId: from, target: tag.name, details }, now);
    isDone = await step(orm, from, into, now);
    return { tag, into: other };
  });
  if (!isDone) await reassignPosts(db, from, into, now);
  return merged;
}

/** Removes the tag from all posts and deletes it. Returns undefined if it no longer exists. */
export async function remove(db: Db, slug: string, by: audit.Actor, now: Date) {
  let isDone = true;
  const removed = await db.write(async (orm) => {
    await hold(orm, "posts");
    const tag = await find(orm, slug);
    if (!tag) return;
    const details = { posts: String(tag.posts) };
    await audit.record(orm, { ...by, action: "tag.delete", targetId: slug, target: tag.name, details }, now);
    isDone = await step(orm, slug, undefined, now);
    return tag;
  });
  if (!isDone) await reassignPosts(db, slug, undefined, now);
  return removed;
}

const change = (before: string, after: string) => (before === after ? after : `${before} → ${after}`);

/**
 * Moves the posts of a tag beyond the first commit to another one, or removes it from them, and deletes the tag once no
 * post has it. After a crash both tags remain; repeating the operation completes it.
 */
async function reassignPosts(db: Db, from: string, to: string | undefined, now: Date): Promise<void> {
  while (!(await db.write((orm) => step(orm, from, to, now)))) await giveWay(db);
}

/**
 * Returns true once the tag is deleted. Increments the version of the posts: otherwise someone editing one would add
 * the old tag again.
 */
async function step(orm: Orm, from: string, to: string | undefined, now: Date): Promise<boolean> {
  await hold(orm, "posts");
  const some = await orm.select().from(postTags).where(eq(postTags.tagSlug, from)).limit(rowsPerCommit).all();
  const postIds = some.map(({ postId }) => postId);
  const these = and(eq(postTags.tagSlug, from), hasId(postTags.postId, postIds));
  if (to)
    await orm.run(sql`insert into ${postTags} (post_id, tag_slug, position)
      select post_id, ${to}, position from ${postTags} where ${these} on conflict do nothing`);
  await orm.delete(postTags).where(these).run();
  const edited = { version: sql`${posts.version} + 1`, updatedAt: now };
  await orm.update(posts).set(edited).where(hasId(posts.id, postIds)).run();
  await announceEdits(orm, postIds, now);
  if (some.length === rowsPerCommit) return false;
  if (to) await retagRules(orm, from, to);
  await orm.delete(tags).where(eq(tags.slug, from)).run();
  return true;
}
