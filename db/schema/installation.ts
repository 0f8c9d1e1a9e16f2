import { sqliteTable, text } from "drizzle-orm/sqlite-core";

/** What distinguishes this installation from every other, for as long as its database lives. */
export const installation = sqliteTable("installation", {
  name: text().primaryKey(),
  value: text().notNull(),
});
