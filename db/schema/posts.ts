import { type Placeholder, sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { id, at, createdAt, updatedAt, flag } from "./columns";

export const posts = sqliteTable(
  "posts",
  {
    row: integer().primaryKey(), // stable rowid for the search index
    id: text()
      .notNull()
      .unique()
      .$defaultFn(() => Bun.randomUUIDv7()),
    slug: text().notNull().unique(),
    title: text().notNull(),
    excerpt: text().notNull().default(""),
    coverImage: text().notNull().default(""),
    author: text().notNull().default(""),
    readingTime: integer().notNull().default(1), // minutes
    published: flag().notNull().default(false),
    publishedAt: at(),
    views: integer().notNull().default(0),
    version: integer().notNull().default(1), // counts edits: two managers editing at once are told
    deletedAt: at(), // set: the post lies in the trash, for 30 days (D39)
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    // The long ones come last: SQLite then reads the others without walking through these.
    folded: text().notNull(), // title, excerpt and content as the search sees them
    content: text().notNull().default(""), // MDX source, never compiled here
  },
  (t) => [
    index("posts_published")
      .on(t.publishedAt, t.id)
      .where(sql`published = 1 and deleted_at is null`),
    index("posts_hidden")
      .on(t.publishedAt)
      .where(sql`published = 0 or deleted_at is not null or published_at is null`),
    // The desk's orders. What has no time yet comes before everything that has one.
    index("posts_desk")
      .on(sql`case when published_at is null then 9e15 else published_at end`, t.id)
      .where(sql`deleted_at is null`),
    index("posts_drafts")
      .on(sql`case when published_at is null then 9e15 else published_at end`, t.id)
      .where(sql`published = 0 and deleted_at is null`),
    index("posts_titles")
      .on(sql`title collate nocase`, t.id)
      .where(sql`deleted_at is null`),
    index("posts_views")
      .on(t.views, t.id)
      .where(sql`deleted_at is null`),
    // Drafts lie at one end of those orders: readers have not seen them
    index("posts_drafts_titles")
      .on(sql`title collate nocase`, t.id)
      .where(sql`published = 0 and deleted_at is null`),
    index("posts_drafts_views")
      .on(t.views, t.id)
      .where(sql`published = 0 and deleted_at is null`),
    index("posts_trash")
      .on(t.deletedAt, t.id)
      .where(sql`deleted_at is not null`),
  ],
);

/** Neither a draft nor in the trash: what the index posts_published holds, in its words. */
export const isReleased = sql`${posts.published} = 1 and ${posts.deletedAt} is null`;
/** What the public can read at a moment, in milliseconds (D22). */
export const isPublished = (now: number | Placeholder) => sql`${isReleased} and ${posts.publishedAt} <= ${now}`;

/** How many posts are in each state, counted by triggers. A released one is published or scheduled. */
export const postCounts = sqliteTable("post_counts", {
  state: text({ enum: ["draft", "released", "trash"] }).primaryKey(),
  count: integer().notNull(),
});

/** Addresses a post had before: they lead to the one it has now. */
export const postSlugs = sqliteTable(
  "post_slugs",
  {
    slug: text().primaryKey(),
    postId: text()
      .notNull()
      .references(() => posts.id, { onDelete: "cascade" }),
    createdAt: createdAt(),
  },
  (t) => [index("post_slugs_post").on(t.postId)],
);

/** What a post was, each time it was saved; and what a manager has typed since, one draft for each of them. */
export const postRevisions = sqliteTable(
  "post_revisions",
  {
    id: id(),
    postId: text()
      .notNull()
      .references(() => posts.id, { onDelete: "cascade" }),
    kind: text({ enum: ["saved", "draft"] }).notNull(),
    version: integer().notNull(), // saved: the version it became. draft: the version it began with
    fields: text({ mode: "json" }).$type<Record<string, string>>().notNull(), // the form without the body
    savedBy: text().notNull(), // the manager's e-mail address, or "cli"
    savedAt: createdAt(),
    content: text().notNull(),
  },
  (t) => [
    index("post_revisions_post").on(t.postId, t.savedAt),
    uniqueIndex("post_revisions_draft")
      .on(t.postId, t.savedBy)
      .where(sql`kind = 'draft'`),
    check("post_revisions_known_kind", sql`kind in ('saved', 'draft')`),
  ],
);

export const tags = sqliteTable("tags", {
  slug: text().primaryKey(),
  name: text().notNull(),
  posts: integer().notNull().default(0), // how many carry it, those in the trash left out; counted by triggers
  released: integer().notNull().default(0), // how many of these are published or scheduled; the same
});

export const postTags = sqliteTable(
  "post_tags",
  {
    postId: text()
      .notNull()
      .references(() => posts.id, { onDelete: "cascade" }),
    tagSlug: text()
      .notNull()
      .references(() => tags.slug, { onDelete: "cascade" }),
    position: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.postId, t.tagSlug] }), index("post_tags_tag").on(t.tagSlug, t.postId)],
);
