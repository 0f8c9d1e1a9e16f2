import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { at, createdAt, id } from "./columns";

const reasons = ["bounce", "complaint", "provider", "manual", "erased", "import"] as const;

/** Addresses that get no email. They outlive the subscriber (P170): the key is a keyed hash of the address. */
export const suppressions = sqliteTable(
  "suppressions",
  {
    hash: text().primaryKey(),
    email: text(), // null once the person was erased
    reason: text({ enum: reasons }).notNull(),
    detail: text(), // what the provider or the manager said
    eventId: text(), // the provider's event that caused it
    by: text().notNull(), // a manager's email address, "cli" or "provider"
    createdAt: createdAt(),
    liftedAt: at(), // if set, it is in force no longer
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

/** What the email provider reported, by the ID of its webhook: a replay changes nothing. Deliveries are not kept. */
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
    at: at().notNull(), // as the provider says
    receivedAt: at().notNull(),
  },
  (t) => [index("provider_events_address").on(t.hash, t.at), index("provider_events_received").on(t.receivedAt)],
);

/** What was erased of a person, in numbers. */
export type ErasureCounts = Record<
  "subscriptions" | "events" | "emails" | "broadcasts" | "messages" | "reports" | "webhookCalls" | "auditEntries",
  number
>;

/** What of it was asked for: the person as a subscriber, their messages, and that they get no email any more. */
export type ErasureScope = ("subscription" | "messages" | "suppression")[];

/** The erasures of people's data, as proof. Nothing in them says who it was but to whoever knows the address. */
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
    finishedAt: at(), // null while it is under way, or was interrupted
    waitsFor: text({ mode: "json" }).$type<number[]>(), // batches whose outcome is unknown and which hold the address until then
    checkedAt: at(), // when the database file was searched for what was erased
    remnants: integer(), // how often it was found there
  },
  (t) => [index("erasures_hash").on(t.hash)],
);
