import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { at } from "./columns";

/** One row a topic, counted up by triggers: what caches and ETags are keyed with, across processes. */
export const versions = sqliteTable("versions", {
  topic: text().primaryKey(), // posts, projects, settings, feeds, keys
  version: integer().notNull(),
  changedAt: at().notNull(),
});
