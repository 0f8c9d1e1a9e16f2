import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { at } from "./columns";

/** Which process does a task that only one of several may do, and until when, unless it renews its lease. */
export const jobs = sqliteTable("jobs", {
  name: text().primaryKey(), // storage, cleanup, and that of each holder, to show that it is running
  holder: text().notNull(),
  until: at().notNull(),
});
