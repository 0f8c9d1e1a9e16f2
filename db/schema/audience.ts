import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { at, createdAt, flag, publicId } from "./columns";
import { subscribers } from "./newsletter";

/** What people may choose to read about: public, a few, each with a sentence. */
export const topics = sqliteTable("topics", {
  row: integer().primaryKey(),
  id: publicId(),
  slug: text().notNull().unique(), // in links, forms, List-Id and the API: never changes
  name: text().notNull(),
  folded: text().notNull().unique(), // the name: two that are equal when folded are one
  sentence: text().notNull().default(""),
  position: integer().notNull(),
  isDefault: flag().notNull().default(false), // for people who subscribe without naming topics
  archivedAt: at(), // no longer offered; those who chose it keep it
  createdAt: createdAt(),
});

/**
 * Who chose which topic, in both orders, as subscriber_tags. A topic that a person left stays, with `chosen` 0: only
 * they may put it back.
 */
export const subscriberTopics = sqliteTable(
  "subscriber_topics",
  {
    topicRow: integer()
      .notNull()
      .references(() => topics.row, { onDelete: "cascade" }),
    subscriberRow: integer()
      .notNull()
      .references(() => subscribers.row, { onDelete: "cascade" }),
    chosen: flag().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.topicRow, t.subscriberRow] }),
    index("subscriber_topics_subscriber").on(t.subscriberRow, t.topicRow, t.chosen),
  ],
);

export const fieldTypes = ["text", "number", "date", "boolean", "choice"] as const;

/** A choice of a field. Its number is what values hold, and is never given to another one. */
export type FieldOption = { id: number; name: string };

/** What a site keeps of its people beyond what everyone has. */
export const subscriberFields = sqliteTable("subscriber_fields", {
  row: integer().primaryKey(),
  id: publicId(),
  key: text().notNull().unique(), // in files, the API and texts: never changes
  name: text().notNull(),
  type: text({ enum: fieldTypes }).notNull(),
  options: text({ mode: "json" }).$type<FieldOption[]>(), // of a choice
  lastOption: integer().notNull().default(0), // the highest number that an option has had
  position: integer().notNull(),
  createdAt: createdAt(),
});

/**
 * The values of people's fields. `text` is that of a text alone; `number` is also a date (days since 1970, without a
 * zone), yes or no (1 or 0) and the number of an option.
 */
export const fieldValues = sqliteTable(
  "field_values",
  {
    subscriberRow: integer()
      .notNull()
      .references(() => subscribers.row, { onDelete: "cascade" }),
    fieldRow: integer()
      .notNull()
      .references(() => subscriberFields.row, { onDelete: "cascade" }),
    text: text(),
    folded: text(), // the text, for comparing
    number: real(),
  },
  (t) => [primaryKey({ columns: [t.subscriberRow, t.fieldRow] })],
);

/**
 * How many people have a tag, have chosen a topic, or have a value of a field, whatever their status; `ref` is its row.
 * Maintained by triggers. PostgreSQL adds rows of differences, as for subscriber_counts.
 */
export const audienceCounts = sqliteTable(
  "audience_counts",
  {
    kind: text({ enum: ["tag", "topic", "field"] }).notNull(),
    ref: integer().notNull(),
    count: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.kind, t.ref] })],
);

/** The number of people. */
export const sumOfCounts = sql<number>`cast(coalesce(sum(${audienceCounts.count}), 0) as bigint)`.mapWith(Number);

/** Segments under a name. The definition is read by db/newsletter/segments/definition.ts alone. */
export const segments = sqliteTable("segments", {
  row: integer().primaryKey(),
  id: publicId(),
  name: text().notNull(),
  folded: text().notNull().unique(),
  definition: text().notNull(),
  version: integer().notNull().default(1), // incremented on every edit, to detect concurrent ones
  createdBy: text().notNull(),
  createdAt: createdAt(),
  updatedAt: at().notNull(),
});
