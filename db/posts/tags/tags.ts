import { asc, desc, eq, inArray, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../../engine/open";
import { countRows, pageOf, type PageRequest } from "../../lib/rows";
import { containsIn } from "../../lib/fold";
import { postTags, tags } from "../../schema/posts";
import { slugOf } from "../../lib/slug";

/** The tags of a post, as shown with it (spec part 2). */
export type Tag = Pick<typeof tags.$inferSelect, "name" | "slug">;
export type CountedTag = typeof tags.$inferSelect;
export type TagSort = "name" | "-name" | "posts" | "-posts";

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
