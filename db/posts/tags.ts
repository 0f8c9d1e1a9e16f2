import { and, asc, desc, eq, inArray, sql } from "drizzle-orm";
import * as audit from "../audit";
import { retagRules } from "../broadcasts/from-posts/rules";
import { type Db, type Orm, prepared } from "../engine/open";
import { lockTopic } from "../engine/versions";
import { giveWay, rowsPerCommit } from "../lib/bulk";
import { containsIn } from "../lib/fold";
import { countRows, hasId, pageOf, type PageRequest } from "../lib/rows";
import { slugOf } from "../lib/text";
import { posts, postTags, tags } from "../schema/posts";
import { announceEdits } from "./announce";

/** The tags of a post, as shown with it (spec part 2). */
export type Tag = Pick<typeof tags.$inferSelect, "name" | "slug">;
export type CountedTag = typeof tags.$inferSelect;
type TagSort = "name" | "-name" | "posts" | "-posts";

// ── On posts ─────────────────────────────────────────────────────────────────────────────────

/** Adds the tags to the rows, with one query for all of them. */
export async function withTags<P extends { id: string }>(orm: Orm, rows: P[]) {
  const ids = rows.map(({ id }) => id);
  const tagsOf = new Map<string, Tag[]>(ids.map((id) => [id, []]));
  for (const { postId, ...tag } of await tagRows(orm).all({ ids: JSON.stringify(ids) })) tagsOf.get(postId)?.push(tag);
  return rows.map((row) => ({ ...row, tags: tagsOf.get(row.id) ?? [] }));
}

const tagRows = prepared((orm) =>
  orm
    .select({ postId: postTags.postId, name: tags.name, slug: tags.slug })
    .from(postTags)
    .innerJoin(tags, eq(tags.slug, postTags.tagSlug))
    .where(inArray(postTags.postId, sql`(select value from json_each(${sql.placeholder("ids")}))`))
    .orderBy(asc(postTags.position), asc(tags.slug))
    .prepare(),
);

/** Gives the post exactly these tags, in this order. An existing tag keeps its name. */
export async function retag(orm: Orm, postId: string, names: string[]): Promise<void> {
  await orm.delete(postTags).where(eq(postTags.postId, postId)).run();
  for (const [position, { slug, name }] of (await resolveNames(orm, names)).entries()) {
    await orm.insert(tags).values({ slug, name }).onConflictDoNothing().run();
    await orm.insert(postTags).values({ postId, tagSlug: slug, position }).run();
  }
}

/** Returns the tags with these names, existing or not. */
export async function resolveNames(orm: Orm, names: string[]): Promise<Tag[]> {
  if (!names.length) return [];
  const wellFormed = names.map((name) => name.toWellFormed()); // PostgreSQL reads no other JSON
  return matchNames(names, await byNames(orm).all({ names: JSON.stringify(wellFormed) }));
}

const byNames = prepared((orm) =>
  orm
    .select({ slug: tags.slug, name: tags.name })
    .from(tags)
    .where(inArray(tags.name, sql`(select value from json_each(${sql.placeholder("names")}))`))
    .prepare(),
);

/**
 * Returns the tags with these names: one per slug, without names that yield no slug. An existing tag with the name is
 * used even if its slug differs from the name's, because it was renamed.
 */
export function matchNames(names: string[], existing: Tag[] = []): Tag[] {
  const slugOfName = (name: string) => {
    const own = slugOf(name);
    const sameName = existing.filter((tag) => tag.name === name);
    return (sameName.find(({ slug }) => slug === own) ?? sameName[0])?.slug ?? own;
  };
  const bySlug = new Map(names.map((name) => name.trim()).map((name) => [slugOfName(name), name]));
  bySlug.delete("");
  return [...bySlug].map(([slug, name]) => ({ slug, name }));
}

// ── The tags themselves ──────────────────────────────────────────────────────────────────────

const orders = {
  name: [sql`${tags.name} collate nocase`, asc(tags.slug)],
  "-name": [sql`${tags.name} collate nocase desc`, desc(tags.slug)],
  posts: [asc(tags.posts), asc(tags.slug)],
  "-posts": [desc(tags.posts), asc(tags.slug)],
};

/** Returns one page of the tags whose name or slug contains `q`. A page past the end is the last page. */
export const list = (db: Db, q: string, sort: TagSort, request: PageRequest) =>
  db.read(async (orm) => {
    const slug = slugOf(q);
    const where = q
      ? sql`${containsIn(tags.name, q)} or ${slug} <> '' and instr(${tags.slug}, ${slug}) > 0`
      : undefined;
    const inOrder = orm
      .select()
      .from(tags)
      .where(where)
      .orderBy(...orders[sort]);
    const listed = await pageOf(await countRows(orm, tags, where), request, (limit, offset) =>
      inOrder.limit(limit).offset(offset).all(),
    );
    return { ...listed, per: request.per };
  });

/** Returns the most used tags, sorted by name: the suggestions of the filter and the editor. */
export const mostUsed = (db: Db, limit = 200) =>
  db.read(async (orm) => {
    const rows = await orm.select().from(tags).orderBy(desc(tags.posts), asc(tags.slug)).limit(limit).all();
    return rows.sort((a, b) => a.name.localeCompare(b.name));
  });

export const bySlug = (db: Db, slug: string) =>
  db.read((orm) => orm.select().from(tags).where(eq(tags.slug, slug)).get());

/** Returns the tag with this name, or with the slug that the name yields. */
export const byName = (db: Db, name: string) =>
  db.read(async (orm) => {
    const [tag] = await resolveNames(orm, [name.trim()]);
    return tag && (await find(orm, tag.slug));
  });
export const find = (orm: Orm, slug: string) => orm.select().from(tags).where(eq(tags.slug, slug)).get();

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
    await lockTopic(orm, "posts");
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
    await lockTopic(orm, "posts");
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
    await lockTopic(orm, "posts");
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
  await lockTopic(orm, "posts");
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
