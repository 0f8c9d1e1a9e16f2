import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { at } from "./columns";

/** One row per topic, incremented by triggers: the basis of caches and ETags, across processes. */
export const versions = sqliteTable("versions", {
  topic: text().primaryKey(), // posts, projects, settings, feeds, keys, broadcasts
  version: integer().notNull(),
  changedAt: at().notNull(),
});
