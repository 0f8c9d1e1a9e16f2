import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { at, updatedAt, flag } from "./columns";

/** The language of what visitors, subscribers and feed readers read. It is public, because sites may follow it. */
export const languageKey = "language";
/** Where the site is, as the name of a time zone: what a day means to it. UTC if it is not set. */
export const timeZoneKey = "timeZone";

export const settings = sqliteTable("settings", {
  key: text().primaryKey(),
  value: text().notNull(),
  isPublic: flag().notNull().default(false), // only these are returned by the API (D27)
  version: integer().notNull().default(1), // incremented on every edit, to detect concurrent edits
  updatedBy: text(),
  updatedAt: updatedAt(),
});

/** When each hourly limit (db/limits) was last reached, for the overview. */
export const limitsReached = sqliteTable("limits_reached", {
  key: text().primaryKey(), // the key of its setting
  reachedAt: at().notNull(),
});
