import { sql } from "drizzle-orm";
import { index, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { managers } from "./access";
import { id, at, createdAt, flag, updatedAt } from "./columns";

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
    snoozedUntil: at(), // if set, it is out of the inbox until then, or until they write again
    surfacedAt: at()
      .notNull()
      .default(sql`0`), // its place in lists: when they last wrote, or when it came back from a snooze
    repliedAt: at(), // when we last answered
    assigneeId: text().references(() => managers.id, { onDelete: "set null" }),
    threadKey: text(), // 128 random bits, from the first reply on: who mentions it in an email has received one of ours
    apiKeyId: text(), // the key of the site that sent it on behalf of a visitor
    createdAt: createdAt(),
  },
  (t) => [
    index("messages_created").on(t.createdAt, t.id),
    // Lists each box in order, and counts it and its unread messages, without reading the messages themselves
    index("messages_box").on(
      t.deletedAt,
      t.spamReason,
      t.quarantined,
      t.archivedAt,
      t.snoozedUntil,
      t.surfacedAt,
      t.id,
      t.readAt,
    ),
    index("messages_snoozed")
      .on(t.snoozedUntil)
      .where(sql`snoozed_until is not null`),
    index("messages_assignee")
      .on(t.assigneeId)
      .where(sql`assignee_id is not null`),
    uniqueIndex("messages_thread")
      .on(t.threadKey)
      .where(sql`thread_key is not null`),
    index("messages_people")
      .on(t.createdAt)
      .where(sql`honeypot = 0`),
    index("messages_source").on(t.source, t.createdAt),
    index("messages_sender").on(t.emailKey, t.createdAt),
    index("messages_fingerprint").on(t.fingerprint, t.createdAt),
    index("messages_api_key")
      .on(t.apiKeyId, t.createdAt)
      .where(sql`api_key_id is not null`),
  ],
);

/** What followed a message: our replies, answers that came back by email, and notes that managers keep to themselves. */
export const messageEntries = sqliteTable(
  "message_entries",
  {
    id: id(), // of a reply, chosen by its form, so that sending the form twice sends one email
    messageId: text()
      .notNull()
      .references(() => messages.id, { onDelete: "cascade" }),
    kind: text({ enum: ["reply", "answer", "note"] }).notNull(),
    author: text(), // the manager's address; null for an answer
    name: text(), // who answered, and from where: it may be another address than that of the message
    email: text(),
    emailKey: text(), // canonical: finds what a person has written
    text: text().notNull(),
    folded: text().notNull().default(""), // the text as it is searched (D20)
    mailId: text(), // the Message-ID of a reply or an answer, without angle brackets
    createdAt: createdAt(),
  },
  (t) => [
    index("message_entries_thread").on(t.messageId, t.createdAt, t.id),
    index("message_entries_sender")
      .on(t.emailKey)
      .where(sql`email_key is not null`),
    uniqueIndex("message_entries_mail")
      .on(t.mailId)
      .where(sql`mail_id is not null`),
  ],
);

/** Texts that managers insert into replies. */
export const snippets = sqliteTable("snippets", {
  id: id(),
  name: text().notNull(),
  text: text().notNull(), // may contain {name} and other fields of db/contact/snippets.ts
  createdAt: createdAt(),
  updatedAt: updatedAt(),
});
