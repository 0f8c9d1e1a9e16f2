import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { at, createdAt, flag, id } from "./columns";

/** Endpoints of other programs that are told what happens (Standard Webhooks). */
export const webhookEndpoints = sqliteTable(
  "webhook_endpoints",
  {
    id: id(),
    name: text().notNull(),
    url: text().notNull(),
    events: text({ mode: "json" }).$type<string[]>().notNull(), // the event types; none means all
    withPeople: flag().notNull().default(false), // whether it gets addresses, names and messages too
    verifySeconds: integer().notNull().default(30), // how long it may take to answer upload.verify
    acceptsUnanswered: flag().notNull().default(false), // whether a file that it never answered for is accepted
    secret: text().notNull(), // encrypted with APP_SECRET
    oldSecret: text(), // the previous one during a rotation, which signs as well
    oldUntil: at(),
    state: text({ enum: ["on", "off", "broken"] })
      .notNull()
      .default("on"),
    failingSince: at(), // the first failure since the last success
    attemptedAt: at(), // endpoints take turns by this time
    version: integer().notNull().default(1), // incremented on every edit, to detect concurrent edits
    createdBy: text().notNull(),
    createdAt: createdAt(),
  },
  () => [check("webhook_endpoints_known_state", sql`state in ('on', 'off', 'broken')`)],
);

/** A delivery to an endpoint, written in the transaction of its cause. */
export const webhookDeliveries = sqliteTable(
  "webhook_deliveries",
  {
    id: id(), // also the webhook-id, the same in every attempt
    endpointId: text()
      .notNull()
      .references(() => webhookEndpoints.id, { onDelete: "cascade" }),
    type: text().notNull(),
    subjectId: text(), // what it is about: its body may contain an address
    body: text().notNull(), // as signed and sent
    state: text({ enum: ["queued", "delivered", "dead"] })
      .notNull()
      .default("queued"),
    attempts: integer().notNull().default(0),
    nextAttemptAt: at().notNull(),
    leaseUntil: at(), // while set, a sender is working on it
    attemptedAt: at(),
    status: integer(), // of the last response
    ms: integer(), // how long the last attempt took
    error: text(), // why there was no response, or the beginning of one that was no success
    createdAt: createdAt(),
  },
  (t) => [
    index("deliveries_due")
      .on(t.endpointId, t.nextAttemptAt, t.id)
      .where(sql`state = 'queued'`),
    index("deliveries_list").on(t.endpointId, t.createdAt, t.id),
    index("deliveries_leased")
      .on(t.leaseUntil)
      .where(sql`lease_until is not null`),
    index("deliveries_age").on(t.createdAt),
    index("deliveries_verifying")
      .on(t.subjectId)
      .where(sql`type = 'upload.verify' and state = 'queued'`),
    check("webhook_deliveries_known_state", sql`state in ('queued', 'delivered', 'dead')`),
  ],
);
