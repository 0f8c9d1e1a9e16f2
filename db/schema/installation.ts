import { sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Values that distinguish this installation from every other, for the lifetime of its database. */
export const installation = sqliteTable("installation", {
  name: text().primaryKey(),
  value: text().notNull(),
});
