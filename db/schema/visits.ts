import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Who has visited what today (D26), where several processes have to know. A single process keeps this in memory. Hashes
 * under a salt that is deleted with them when the day is over.
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
