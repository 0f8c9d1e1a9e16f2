import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Views of posts, clicks of projects, views of the web pages of broadcasts, and who unsubscribed from a broadcast. The
 * last two are views by the site that they came from, whose host is the subject, and the same by post and host.
 */
export const countedKinds = ["view", "click", "page", "unsubscribe", "referrer", "post-referrer"] as const;

/** How often something happened, by day. Posts and projects also have totals, which began earlier (D26). */
export const dailyCounts = sqliteTable(
  "daily_counts",
  {
    kind: text({ enum: countedKinds }).notNull(),
    subjectId: text().notNull(), // "" stands for all of the kind; no foreign key: a visit may be written after a deletion
    day: integer().notNull(), // since 1970, UTC
    count: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.kind, t.subjectId, t.day] }),
    index("daily_counts_recent").on(t.kind, t.day, t.subjectId, t.count),
  ],
);

/**
 * Who visited what today (D26), if several processes need to know. A single process keeps this in memory, so that
 * nothing about visitors is on disk. Visitors are hashes under a salt that is deleted with them at the end of the day.
 */
export const visits = sqliteTable(
  "visits",
  {
    day: integer().notNull(), // since 1970, UTC
    visitor: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.day, t.visitor] })],
);

export const visitSalts = sqliteTable("visit_salts", {
  day: integer().primaryKey(),
  salt: text().notNull(),
});
