import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, at, createdAt, flag } from "./columns";

export const outbox = sqliteTable(
  "outbox",
  {
    id: id(), // also the provider's Idempotency-Key
    kind: text({
      enum: [
        "welcome",
        "confirm",
        "record",
        "contact",
        "reply",
        "quarantine",
        "test",
        "sign-in",
        "invitation",
        "notice",
        "broadcast-test",
      ],
    }).notNull(),
    recipient: text().notNull(),
    recipientKey: text().notNull(), // canonical
    mailboxKey: text(), // the mailbox behind it, if its key differs: without tag and dots
    subjectId: text(), // the subscriber or message it is about
    subjectGone: flag().notNull().default(false), // the subscriber was deleted; set by a trigger
    payload: text({ mode: "json" }).$type<Record<string, string>>().notNull(), // never a token: links are created when the email is sent
    state: text({ enum: ["queued", "sent", "simulated", "dead", "cancelled"] })
      .notNull()
      .default("queued"),
    lane: integer().notNull().default(0), // 0 is sent when due; the others are subject to the hourly limit: retries, visitors, programs
    admittedAt: at(), // when an email to a stranger was last admitted; counts towards the hourly limit
    attempts: integer().notNull().default(0),
    inDoubtSince: at(), // since when the provider may have it; null: it certainly has not, or it was sent
    nextAttemptAt: at()
      .notNull()
      .$defaultFn(() => new Date()),
    lastError: text(),
    providerId: text(),
    sentAt: at(),
    createdAt: createdAt(),
  },
  (t) => [
    index("outbox_due")
      .on(t.lane, t.nextAttemptAt)
      .where(sql`state = 'queued'`),
    index("outbox_admitted")
      .on(t.admittedAt)
      .where(sql`admitted_at is not null`),
    index("outbox_created").on(t.createdAt, t.id),
    index("outbox_state").on(t.state, t.createdAt, t.id),
    index("outbox_subject").on(t.subjectId),
    index("outbox_gone") // the cap on welcome emails applies per address, even after a subscriber was deleted (D13)
      .on(t.recipientKey, t.createdAt)
      .where(sql`subject_gone = 1`),
    index("outbox_mailbox")
      .on(t.mailboxKey, t.createdAt)
      .where(sql`mailbox_key is not null`),
    check("outbox_known_state", sql`state in ('queued', 'sent', 'simulated', 'dead', 'cancelled')`),
  ],
);
