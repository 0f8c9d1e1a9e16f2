import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { createdAt } from "./columns";

/** Answers remembered for 24 hours under an Idempotency-Key, each caller's own (D18, P72). */
export const idempotencyKeys = sqliteTable("idempotency_keys", {
  key: text().primaryKey(), // a hash of the endpoint, whose key it is, and the header value
  fingerprint: text().notNull(),
  resultId: text().notNull(),
  createdAt: createdAt(),
});
