import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { at, createdAt } from "./columns";

/** How far the mailbox with delivery reports and answers has been read, one row for each mailbox that ever was set. */
export const bounceMailbox = sqliteTable("bounce_mailbox", {
  name: text().primaryKey(), // user@host/folder, never the password
  uidValidity: integer(), // while it stays the same, UIDs mean the same messages (RFC 9051)
  lastUid: integer().notNull().default(0), // everything up to here has been read
  searchedAt: at(), // when everything that was there had been read
  problem: text(), // why the last attempt failed
  problemAt: at(), // since when
  reports: integer().notNull().default(0), // that had an effect
  answers: integer().notNull().default(0), // that joined a conversation
  createdAt: createdAt(),
});
