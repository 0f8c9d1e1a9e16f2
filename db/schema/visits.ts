import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Who visited what today (D26), if several processes need to know. A single process keeps this in memory, so that
 * nothing about visitors is on disk. Visitors are
 * hashes under a salt that is deleted with them at the end of the day.
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
