import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, type SQLiteColumn, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { at, createdAt, flag, id, publicId, updatedAt } from "./columns";

export const subscribers = sqliteTable(
  "subscribers",
  {
    row: integer().primaryKey(), // stable rowid for the search index
    id: publicId(),
    email: text().notNull(), // as typed: where email is sent, and what people see
    emailKey: text().notNull().unique(), // canonical form: decides whether two addresses are the same (D11)
    name: text(),
    source: text(),
    language: text(), // in which the person reads; null is the site's
    timeZone: text(), // in which the person lives, if they said so; null is the site's
    state: text({ enum: ["active", "unsubscribed"] })
      .notNull()
      .default("active"),
    suppressedAt: at(), // bounced, complained, or suppressed otherwise: no email in any state (D17)
    pendingAt: at(), // waits for double opt-in (D17)
    confirmedAt: at(), // followed the link of the confirmation email
    pausedUntil: at(), // the person wants no email until then; a tick ends it, so that counters know no clock
    consentNote: text(), // how an imported person agreed
    consentAt: at(), // when, as the file or the site's program says
    consentUrl: text(), // where
    unsubscribedAt: at(),
    folded: text().notNull(), // email and name, folded for searching
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    index("subscribers_created").on(t.createdAt, t.id),
    index("subscribers_state_created").on(t.state, t.createdAt, t.id),
    // its rows are all unsubscribed, but SQLite chooses it only if it begins with the state
    index("subscribers_unsubscribed")
      .on(t.state, t.unsubscribedAt, t.id)
      .where(sql`state = 'unsubscribed'`),
    index("subscribers_source").on(t.source, t.createdAt, t.id),
    index("subscribers_language")
      .on(t.language, t.createdAt, t.id)
      .where(sql`language is not null`),
    index("subscribers_suppressed")
      .on(t.suppressedAt)
      .where(sql`suppressed_at is not null`),
    index("subscribers_pending")
      .on(t.pendingAt)
      .where(sql`pending_at is not null`),
    index("subscribers_paused")
      .on(t.pausedUntil)
      .where(sql`paused_until is not null`),
    check("subscribers_known_state", sql`state in ('active', 'unsubscribed')`),
  ],
);

/**
 * Condition: active, which is to say gets broadcasts at this moment (docs/decisions/newsletter.md). The trigger for the
 * count "mailable" uses the same condition (migration 0025).
 */
export const isMailable = sql`${subscribers.state} = 'active' and ${subscribers.suppressedAt} is null and ${subscribers.pendingAt} is null and ${subscribers.pausedUntil} is null`;

/** The site's own words for people, which they never see. Two that are equal when folded are one. */
export const audienceTags = sqliteTable("audience_tags", {
  row: integer().primaryKey(),
  name: text().notNull(),
  folded: text().notNull().unique(),
  usedAt: at().notNull(), // when it was last given to someone, up to half a day earlier
});

/** Who has which tag: pairs of integers in both orders, so that either side is found without reading the other. */
export const subscriberTags = sqliteTable(
  "subscriber_tags",
  {
    tagRow: integer()
      .notNull()
      .references(() => audienceTags.row, { onDelete: "cascade" }),
    subscriberRow: integer()
      .notNull()
      .references(() => subscribers.row, { onDelete: "cascade" }),
  },
  (t) => [
    primaryKey({ columns: [t.tagRow, t.subscriberRow] }),
    index("subscriber_tags_subscriber").on(t.subscriberRow, t.tagRow),
  ],
);

/**
 * The number of subscribers in each state, maintained by triggers so that no page counts a million rows. Those whose
 * state is active are counted once more, as mailable, pending, suppressed or paused. Read by db/newsletter/counts.ts.
 */
export const subscriberCounts = sqliteTable("subscriber_counts", {
  state: text({ enum: ["active", "unsubscribed", "mailable", "pending", "suppressed", "paused"] }).primaryKey(),
  count: integer().notNull(),
});

/**
 * The number in a state. PostgreSQL adds rows of differences, so that no one waits for another's row; the cleanup
 * merges them.
 */
export const countOfState = sql<number>`cast(coalesce(sum(${subscriberCounts.count}), 0) as bigint)`;

/**
 * How the number of active subscribers changed, by day and source. Maintained by triggers, so that a chart reads days
 * and not subscribers: those who joined, minus those who left, were suppressed, were deleted or pause, are the active
 * ones.
 * PostgreSQL adds rows of differences, as for the counts above.
 */
export const subscriberDays = sqliteTable(
  "subscriber_days",
  {
    day: integer().notNull(), // since 1970, UTC
    source: text().notNull(), // "" is none
    joined: integer().notNull().default(0), // on the day they joined, imported or not, confirmed or came back
    imported: integer().notNull().default(0), // how many of these an import added
    unsubscribed: integer().notNull().default(0),
    suppressed: integer().notNull().default(0), // minus those whose suppression was lifted
    deleted: integer().notNull().default(0), // while active or paused
    paused: integer().notNull().default(0), // minus those who resumed, left, were suppressed or were deleted
    added: integer().notNull().default(0), // by imports that ran on this day, whenever they had joined
  },
  (t) => [primaryKey({ columns: [t.day, t.source] })],
);

const sumOfDay = (column: SQLiteColumn) => sql<number>`cast(coalesce(sum(${column}), 0) as bigint)`.mapWith(Number);
/** Sums the figures of several rows. */
export const sumOfDays = {
  joined: sumOfDay(subscriberDays.joined),
  imported: sumOfDay(subscriberDays.imported),
  unsubscribed: sumOfDay(subscriberDays.unsubscribed),
  suppressed: sumOfDay(subscriberDays.suppressed),
  deleted: sumOfDay(subscriberDays.deleted),
  paused: sumOfDay(subscriberDays.paused),
  added: sumOfDay(subscriberDays.added),
};

/** The events of an address, kept when the subscriber is deleted: consent must be provable. */
export const subscriberEvents = sqliteTable(
  "subscriber_events",
  {
    id: id(),
    subscriberId: text().notNull(), // no foreign key: the event outlives the row
    kind: text({
      enum: [
        "subscribed",
        "unsubscribed",
        "reactivated",
        "restored",
        "deleted",
        "imported",
        "suppressed",
        "confirmed",
        "confirm-sent",
        "lifted",
        "expired",
        "erased",
        "changed",
        "paused",
        "resumed",
      ],
    }).notNull(),
    via: text({
      enum: [
        "form",
        "link",
        "one-click",
        "page",
        "manager",
        "import",
        "cli",
        "provider",
        "confirm",
        "api",
        "preferences",
        "clock",
      ],
    }).notNull(),
    source: text(),
    note: text(),
    network: text(), // keyed hash of the /24 or /64, never the address
    userAgent: text(),
    probableScanner: flag().notNull().default(false), // D15
    actor: text(), // the manager's email address, if a manager did it
    apiKeyId: text(), // the key of the site that named the visitor
    createdAt: createdAt(),
  },
  (t) => [
    index("subscriber_events_subscriber").on(t.subscriberId, t.createdAt),
    index("subscriber_events_network") // only unsubscribes are looked up by network
      .on(t.network, t.createdAt)
      .where(sql`kind = 'unsubscribed'`),
    index("subscriber_events_kind").on(t.kind, t.createdAt),
    index("subscriber_events_key") // who came through a key
      .on(t.apiKeyId, t.subscriberId)
      .where(sql`api_key_id is not null and kind in ('subscribed', 'reactivated')`),
    index("subscriber_events_scanner")
      .on(t.createdAt)
      .where(sql`probable_scanner = 1`),
  ],
);

/*
 * Whose name may be written in emails. Anyone can type a stranger's address and any name into the form, which must not
 * make us send their words to others (D33). What managers do with the subscription later says nothing about the name.
 */

/** The events of a subscriber, to select from. */
export const theirEvents = sql`from subscriber_events e where e.subscriber_id = subscribers.id`;

/** Condition on an event `changed`: of the name, which is a line of its note. */
export const isOfName = sql`('\n' || note || '\n') like '%\nname\n%'`;

/** Condition: the person confirmed the address; that a manager did so for them is no sign that they typed the name. */
export const isConfirmedByThem = sql`(subscribers.confirmed_at is not null and (
  not exists (select 1 ${theirEvents} and e.kind = 'confirmed' and e.via = 'manager')
  or exists (select 1 ${theirEvents} and e.kind = 'confirmed' and e.via <> 'manager')))`;
