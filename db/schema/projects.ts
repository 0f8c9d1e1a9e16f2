import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, at, createdAt, updatedAt, flag } from "./columns";
import { sql } from "drizzle-orm";

export const projects = sqliteTable(
  "projects",
  {
    id: id(),
    slug: text().notNull().unique(),
    title: text().notNull(),
    description: text().notNull().default(""),
    imageUrl: text().notNull().default(""),
    liveUrl: text().notNull().default(""),
    githubUrl: text().notNull().default(""),
    featured: flag().notNull().default(false),
    status: text({ enum: ["DRAFT", "PUBLISHED", "ARCHIVED"] })
      .notNull()
      .default("DRAFT"),
    displayOrder: integer().notNull().default(0),
    clicks: integer().notNull().default(0),
    tech: text({ mode: "json" }).$type<string[]>().notNull().default([]),
    author: text().notNull().default(""),
    version: integer().notNull().default(1), // incremented on every edit, to detect concurrent edits
    deletedAt: at(), // if set, the project is in the trash, for 30 days (D39)
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [index("projects_order").on(t.status, t.featured, t.displayOrder, t.createdAt)],
);

/** What the public can see (spec part 3). */
export const isPublishedProject = sql`${projects.status} = 'PUBLISHED' and ${projects.deletedAt} is null`;
