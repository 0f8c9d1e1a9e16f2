import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { createdAt } from "./columns";

/** Responses remembered for 24 hours per Idempotency-Key and sender (D18). */
export const idempotencyKeys = sqliteTable("idempotency_keys", {
  key: text().primaryKey(), // a hash of the endpoint, the sender and the header value
  fingerprint: text().notNull(),
  resultId: text().notNull(),
  createdAt: createdAt(),
});
