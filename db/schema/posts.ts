import { type Placeholder, sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { at, createdAt, flag, id, publicId, updatedAt } from "./columns";

export const posts = sqliteTable(
  "posts",
  {
    row: integer().primaryKey(), // stable rowid for the search index
    id: publicId(),
    slug: text().notNull().unique(),
    title: text().notNull(),
    excerpt: text().notNull().default(""),
    coverImage: text().notNull().default(""),
    author: text().notNull().default(""),
    readingTime: integer().notNull().default(1), // minutes
    published: flag().notNull().default(false),
    publishedAt: at(),
    views: integer().notNull().default(0),
    version: integer().notNull().default(1), // incremented on every edit, to detect concurrent edits
    deletedAt: at(), // if set, the post is in the trash, for 30 days (D39)
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    // Long columns come last, so that SQLite reads the others without walking through them.
    folded: text().notNull(), // title, excerpt and content, folded for searching
    content: text().notNull().default(""), // MDX source, never compiled here
  },
  (t) => [
    index("posts_published")
      .on(t.publishedAt, t.id)
      .where(sql`published = 1 and deleted_at is null`),
    index("posts_hidden")
      .on(t.publishedAt)
      .where(sql`published = 0 or deleted_at is not null or published_at is null`),
    // The orders of the dashboard's list. Posts without a date come before all posts that have one.
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
    // Drafts are at one end of those orders, because no one has viewed them
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

export type Post = typeof posts.$inferSelect;

/** Neither a draft nor in the trash, worded like the index posts_published. */
export const isPublishedOrScheduled = sql`${posts.published} = 1 and ${posts.deletedAt} is null`;
/** What the public can read at a moment, given in milliseconds (D22). */
export const isPublished = (now: number | Placeholder) =>
  sql`${isPublishedOrScheduled} and ${posts.publishedAt} <= ${now}`;

/** The number of posts in each state, maintained by triggers. A released post is published or scheduled. */
export const postCounts = sqliteTable("post_counts", {
  state: text({ enum: ["draft", "released", "trash"] }).primaryKey(),
  count: integer().notNull(),
});

/** Previous slugs of posts, which redirect to the current one. */
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

/** The saved versions of a post, and managers' unsaved drafts, one per manager. */
export const postRevisions = sqliteTable(
  "post_revisions",
  {
    id: id(),
    postId: text()
      .notNull()
      .references(() => posts.id, { onDelete: "cascade" }),
    kind: text({ enum: ["saved", "draft"] }).notNull(),
    version: integer().notNull(), // saved: the version it became; draft: the version it is based on
    fields: text({ mode: "json" }).$type<Record<string, string>>().notNull(), // the form without the body
    savedBy: text().notNull(), // the manager's email address, or "cli"
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
  posts: integer().notNull().default(0), // number of posts with this tag outside the trash; maintained by triggers
  released: integer().notNull().default(0), // how many of these are published or scheduled; maintained likewise
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

/** Posts scheduled for later, which webhooks report once when their time comes. */
export const scheduledPosts = sqliteTable(
  "scheduled_posts",
  {
    postId: text()
      .primaryKey()
      .references(() => posts.id, { onDelete: "cascade" }),
    at: at().notNull(),
  },
  (t) => [index("scheduled_posts_due").on(t.at)],
);
