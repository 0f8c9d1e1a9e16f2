import { sql } from "drizzle-orm";
import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, at, createdAt, flag } from "./columns";

export const messages = sqliteTable(
  "messages",
  {
    id: id(),
    name: text().notNull(),
    email: text().notNull(),
    emailKey: text().notNull().default(""), // canonical: finds what a person has written
    message: text().notNull(),
    source: text().notNull(),
    fingerprint: text().notNull(), // SHA-256 of sender and content, to find identical submissions (D18)
    folded: text().notNull(),
    readAt: at(),
    archivedAt: at(),
    spamReason: text(), // if set, the message is in Spam
    honeypot: flag().notNull().default(false), // from a bot (D19): does not count towards limits that people could reach
    quarantined: flag().notNull().default(false), // in Quarantine until someone releases it
    quarantinedAt: at(), // received above the hourly limit; kept when it is released
    deletedAt: at(), // if set, the message is in the trash, for 30 days (D39)
    createdAt: createdAt(),
  },
  (t) => [
    index("messages_created").on(t.createdAt, t.id),
    // Lists each box in order, and counts it and its unread messages, without reading the messages themselves
    index("messages_box").on(t.deletedAt, t.spamReason, t.quarantined, t.archivedAt, t.createdAt, t.id, t.readAt),
    index("messages_people")
      .on(t.createdAt)
      .where(sql`honeypot = 0`),
    index("messages_source").on(t.source, t.createdAt),
    index("messages_sender").on(t.emailKey, t.createdAt),
    index("messages_fingerprint").on(t.fingerprint, t.createdAt),
  ],
);
