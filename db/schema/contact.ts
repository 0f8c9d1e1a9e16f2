import { sql } from "drizzle-orm";
import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, at, createdAt, flag } from "./columns";

export const messages = sqliteTable(
  "messages",
  {
    id: id(),
    name: text().notNull(),
    email: text().notNull(),
    message: text().notNull(),
    source: text().notNull(),
    fingerprint: text().notNull(), // SHA-256 of who and what: finds the identical submission (D18)
    folded: text().notNull(),
    readAt: at(),
    archivedAt: at(),
    spamReason: text(), // set: the message lies in Spam
    honeypot: flag().notNull().default(false), // came from a bot (D19): counts for no limit that people would meet
    quarantined: flag().notNull().default(false), // lies in Quarantine: nobody has released it yet (P69)
    quarantinedAt: at(), // it came above the hourly limit; stays when it is released
    deletedAt: at(), // set: the message lies in Trash, for 30 days (D39)
    createdAt: createdAt(),
  },
  (t) => [
    index("messages_created").on(t.createdAt, t.id),
    // Lists each box in order, and counts it and what is unread in it, without a look at the messages themselves
    index("messages_box").on(t.deletedAt, t.spamReason, t.quarantined, t.archivedAt, t.createdAt, t.id, t.readAt),
    index("messages_people")
      .on(t.createdAt)
      .where(sql`honeypot = 0`),
    index("messages_source").on(t.source, t.createdAt),
    index("messages_fingerprint").on(t.fingerprint, t.createdAt),
  ],
);
