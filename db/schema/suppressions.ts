import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { at, createdAt, id } from "./columns";

const reasons = ["bounce", "complaint", "provider", "manual", "erased", "import"] as const;

/**
 * Addresses that get no email. They outlive the subscriber: the key is a keyed hash of the address
 * (docs/decisions/suppressions.md).
 */
export const suppressions = sqliteTable(
  "suppressions",
  {
    hash: text().primaryKey(),
    email: text(), // null if the person was erased
    reason: text({ enum: reasons }).notNull(),
    detail: text(), // what the provider or the manager said
    eventId: text(), // the provider's report that caused it
    by: text().notNull(), // a manager's email address, "cli" or "provider"
    createdAt: createdAt(),
    liftedAt: at(), // if set, it is no longer in force
    liftedBy: text(),
    note: text(), // why it was lifted
  },
  (t) => [
    index("suppressions_list")
      .on(t.createdAt, t.hash)
      .where(sql`lifted_at is null`),
    check(
      "suppressions_known_reason",
      sql`reason in ('bounce', 'complaint', 'provider', 'manual', 'erased', 'import')`,
    ),
  ],
);

/**
 * Reports of the email provider, by the ID of its webhook call, so that a replay changes nothing. Deliveries are not
 * kept.
 */
export const providerEvents = sqliteTable(
  "provider_events",
  {
    id: text().primaryKey(),
    type: text().notNull(),
    recipientRow: integer(), // no foreign keys: the report outlives both
    outboxId: text(),
    hash: text(), // of the address, as above
    bounceType: text(),
    detail: text(),
    at: at().notNull(), // by the provider's clock
    receivedAt: at().notNull(),
  },
  (t) => [index("provider_events_address").on(t.hash, t.at), index("provider_events_received").on(t.receivedAt)],
);

export const erasedKinds = [
  "subscriptions",
  "events",
  "emails",
  "broadcasts",
  "messages",
  "reports",
  "webhookCalls",
  "auditEntries",
] as const;

/** How much was erased, by kind. */
export type ErasureCounts = Record<(typeof erasedKinds)[number], number>;

/** What was requested: erasing the subscription, the messages, and suppressing the address. */
export type ErasureScope = ("subscription" | "messages" | "suppression")[];

/** Erasures of people's data, as proof. They reveal who it was only to someone who knows the address. */
export const erasures = sqliteTable(
  "erasures",
  {
    id: id(),
    hash: text().notNull(), // of the address, as in suppressions
    at: at().notNull(),
    by: text().notNull(), // a manager's email address, "cli" or "system"
    request: text(), // why, without the address
    scope: text({ mode: "json" }).$type<ErasureScope>().notNull(),
    counts: text({ mode: "json" }).$type<ErasureCounts>().notNull(),
    finishedAt: at(), // null while it is in progress, or was interrupted
    waitsFor: text({ mode: "json" }).$type<number[]>(), // batches with an unknown outcome, which keep the address until then
    checkedAt: at(), // when the database file was searched for what was erased
    remnants: integer(), // how often it was found there
  },
  (t) => [index("erasures_hash").on(t.hash)],
);
