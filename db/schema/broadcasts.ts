import { sql } from "drizzle-orm";
import { blob, check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { segments, topics } from "./audience";
import { at, createdAt, flag, publicId } from "./columns";
import { uploads } from "./storage";

const states = ["draft", "scheduled", "sending", "paused", "sent", "cancelled"] as const;
const batchStates = ["open", "accepted", "split", "failed", "skipped", "uncertain", "simulated"] as const;

const counter = () => integer().notNull().default(0); // maintained by triggers on broadcast_recipients

/** A text that is sent once to many people. */
export const broadcasts = sqliteTable(
  "broadcasts",
  {
    row: integer().primaryKey(),
    id: publicId(),
    slug: text().notNull().unique(), // of its page in the archive; random unless it was confirmed as listed
    kind: text({ enum: ["own", "post", "step"] }).notNull(), // a step is an email of a sequence
    postId: text(), // no foreign key: what was sent outlives the post
    postVersion: integer(), // the version that was confirmed
    withPost: flag().notNull().default(false), // it was published or scheduled together with its post, and neither goes out alone
    subject: text().notNull(),
    preheader: text().notNull().default(""),
    fromName: text().notNull().default(""),
    topicRow: integer().references(() => topics.row), // to those who chose this topic; null is everyone
    segment: text().notNull().default("{}"), // JSON, read by db/newsletter/segments/definition.ts alone
    segmentRow: integer().references(() => segments.row, { onDelete: "set null" }), // where a draft's comes from
    frozenSegment: text(), // as it was confirmed: moments instead of days
    archive: text({ enum: ["listed", "unlisted", "none"] }).notNull(),
    state: text({ enum: states }).notNull().default("draft"),
    stateReason: text(), // why it is paused
    stateDetail: text(), // in the provider's words, without secrets
    version: integer().notNull().default(1), // incremented on every edit and transition, to detect concurrent ones
    testedVersion: integer(), // the version that the last test email showed
    scheduledAt: at(), // when it starts; of a draft, when it would have before it was unscheduled
    confirmedAt: at(),
    confirmedBy: text(),
    startedAt: at(),
    finishedAt: at(),
    settledAt: at(), // when the provider last answered a batch
    audience: integer(), // counted at the confirmation
    ceiling: integer(), // the largest subscribers.row when it started
    cursor: integer().notNull().default(0), // subscribers up to this row have been claimed, or were not eligible
    pausedUntil: integer("rest_until", { mode: "timestamp_ms" }), // while it is being sent: no more is sent until then
    pausedFor: text("rest_reason"),
    refusals: integer().notNull().default(0), // single emails refused in a row
    reviewedAnswered: integer().notNull().default(0), // what a manager had seen before resuming
    reviewedDelivered: integer().notNull().default(0),
    reviewedBounced: integer().notNull().default(0),
    reviewedComplained: integer().notNull().default(0),
    uncertainReviewedAt: at(), // a manager decided not to send to the uncertain recipients again
    claimed: counter(), // every recipient
    accepted: counter(),
    failed: counter(),
    uncertain: counter(),
    simulated: counter(),
    skipped: counter(),
    refusedBounces: counter(), // of the failed: refused because the address does not exist
    // What was reported about accepted emails: each counts once, as in db/broadcasts/report/recipients.ts
    delivered: counter(),
    bounced: counter(),
    softBounced: counter(),
    complained: counter(), // of the delivered
    unsubscribed: counter(),
    detailGoneAt: at(), // when the rows of its recipients were deleted
    createdBy: text().notNull(),
    createdAt: createdAt(),
    updatedAt: at().notNull(), // the last edit or transition, not a counter
    deletedAt: at(), // if set, it is in the trash, for 30 days (D39)
  },
  (t) => [
    index("broadcasts_due")
      .on(t.scheduledAt)
      .where(sql`state = 'scheduled'`),
    index("broadcasts_active")
      .on(t.row)
      .where(sql`state in ('sending', 'paused')`),
    index("broadcasts_list")
      .on(t.createdAt, t.id)
      .where(sql`deleted_at is null`),
    index("broadcasts_archive")
      .on(t.finishedAt, t.id)
      .where(sql`archive = 'listed' and state = 'sent'`),
    check("broadcasts_known_state", sql`state in ('draft', 'scheduled', 'sending', 'paused', 'sent', 'cancelled')`),
  ],
);

/** Condition: under way, worded like the index broadcasts_active. */
export const isUnderWay = sql`${broadcasts.state} in ('sending', 'paused')`;

/**
 * The long columns of a broadcast, in a separate table because the counters above change with every recipient. What was
 * confirmed is frozen, so that neither the post, the configuration nor a setting changes what a retry sends.
 */
export const broadcastLetters = sqliteTable("broadcast_letters", {
  broadcastRow: integer()
    .primaryKey()
    .references(() => broadcasts.row, { onDelete: "cascade" }),
  bytes: integer(), // approximate size of one email: decides how many fit into a batch
  content: text().notNull().default(""), // MDX; for a post: what is shown above it
  page: text({ mode: "json" }).$type<unknown>(), // frozen: what the archive shows
  letter: text({ mode: "json" }).$type<unknown>(), // frozen: what is sent; src/broadcasts/letter reads it
});

/**
 * A recipient as frozen by the first attempt of its batch: row, address, name, the token of the unsubscribe link, the
 * language unless it is the site's, and the values of the fields that the letter uses, by their keys.
 */
export type FrozenRecipient = [
  row: number,
  email: string,
  name: string | null,
  token: string,
  language?: string | null,
  own?: Record<string, string>,
];

/** One request to the provider. */
export const broadcastBatches = sqliteTable(
  "broadcast_batches",
  {
    row: integer().primaryKey(),
    broadcastRow: integer()
      .notNull()
      .references(() => broadcasts.row, { onDelete: "cascade" }),
    firstRecipient: integer().notNull(), // its recipients are in this range of rows
    lastRecipient: integer().notNull(),
    count: integer().notNull(),
    epoch: integer().notNull().default(0), // incremented when a refused batch gets a new Idempotency-Key
    state: text({ enum: batchStates }).notNull().default("open"),
    attempts: integer().notNull().default(0),
    nextAttemptAt: at().notNull(),
    leaseUntil: at(), // while set, a sender is working on it
    firstAttemptAt: at(), // with the current key; null: the provider cannot have it
    provider: text(), // of the first attempt: no other provider may repeat it
    frozen: text({ mode: "json" }).$type<FrozenRecipient[]>(), // from the first attempt until it is settled
    lastError: text(),
    admittedAt: at(), // when its last attempt was admitted; counts towards the limit of emails per hour
    createdAt: at().notNull(),
  },
  (t) => [
    index("broadcast_batches_open")
      .on(t.broadcastRow, t.nextAttemptAt)
      .where(sql`state = 'open'`),
    index("broadcast_batches_broadcast").on(t.broadcastRow, t.firstRecipient),
    index("broadcast_batches_admitted")
      .on(t.admittedAt, t.count)
      .where(sql`admitted_at is not null`),
    check(
      "broadcast_batches_known_state",
      sql`state in ('open', 'accepted', 'split', 'failed', 'skipped', 'uncertain', 'simulated')`,
    ),
  ],
);

/** broadcast_recipients.state, as numbers: there may be millions of rows. */
export const recipientStates = { claimed: 0, accepted: 1, failed: 2, uncertain: 3, simulated: 4, skipped: 5 } as const;

export const broadcastRecipients = sqliteTable(
  "broadcast_recipients",
  {
    row: integer().primaryKey(),
    broadcastRow: integer()
      .notNull()
      .references(() => broadcasts.row, { onDelete: "cascade" }),
    subscriberRow: integer(), // null once the subscriber is deleted: SQLite reuses the largest row
    run: integer().notNull().default(0), // of a step: how often they had begun the sequence before
    batchRow: integer().notNull(),
    state: integer().notNull().default(recipientStates.claimed),
    // Independent of the state and of each other: events arrive in any order
    acceptedAt: at(),
    deliveredAt: at(),
    bouncedAt: at(),
    softAt: at(),
    complainedAt: at(),
    unsubscribedAt: at(),
    providerId: blob({ mode: "buffer" }), // a UUID's 16 bytes, or the text as it is
    error: text(),
  },
  (t) => [
    uniqueIndex("broadcast_recipients_once").on(t.broadcastRow, t.subscriberRow, t.run), // no one is in a broadcast twice
    index("broadcast_recipients_person")
      .on(t.subscriberRow)
      .where(sql`subscriber_row is not null`),
    index("broadcast_recipients_trouble")
      .on(t.broadcastRow, t.row)
      .where(sql`bounced_at is not null or complained_at is not null or state in (2, 3)`),
    check("broadcast_recipients_known_state", sql`state between 0 and 5`),
  ],
);

/** Condition: a recipient that needs attention, worded like the index broadcast_recipients_trouble. */
export const isTroubled = sql`(${broadcastRecipients.bouncedAt} is not null or ${broadcastRecipients.complainedAt} is not null or ${broadcastRecipients.state} in (2, 3))`;

/** The files that a broadcast's text or frozen letter uses; maintained by triggers, like post_files. */
export const broadcastFiles = sqliteTable(
  "broadcast_files",
  {
    fileId: text()
      .notNull()
      .references(() => uploads.id, { onDelete: "cascade" }),
    broadcastRow: integer()
      .notNull()
      .references(() => broadcasts.row, { onDelete: "cascade" }),
  },
  (t) => [primaryKey({ columns: [t.fileId, t.broadcastRow] }), index("broadcast_files_broadcast").on(t.broadcastRow)],
);
