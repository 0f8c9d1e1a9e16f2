import { blob, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { at, createdAt } from "./columns";

/* What all processes of an installation have to know, and no subject owns. */

/** Values that distinguish this installation from every other, for the lifetime of its database. */
export const installation = sqliteTable("installation", {
  name: text().primaryKey(),
  value: text().notNull(),
});

/** Which process does a task that only one of several may do, and until when, unless it renews its lease. */
export const jobs = sqliteTable("jobs", {
  name: text().primaryKey(), // storage, cleanup, and that of each holder, to show that it is running
  holder: text().notNull(),
  until: at().notNull(),
});

/** What was made, remembered for 24 hours per Idempotency-Key and sender (D18). */
export const idempotencyKeys = sqliteTable("idempotency_keys", {
  key: text().primaryKey(), // a hash of the endpoint, the sender and the header value
  fingerprint: text().notNull(),
  resultId: text().notNull(),
  createdAt: createdAt(),
});

/**
 * What became of the people whom a program named, for 24 hours per Idempotency-Key: kept in the commit that stores them,
 * so that a repetition goes on where the first request ended, and says the same.
 */
export const apiBatches = sqliteTable("api_batches", {
  key: text().primaryKey(), // a hash of the API key and the header value
  fingerprint: text().notNull(), // of all the people, keyed
  results: text({ mode: "json" }).$type<NamedResult[]>().notNull(), // of those who are done, in their order
  createdAt: createdAt(),
});

/** What became of someone whom a program named. */
export type NamedResult = {
  result: "created" | "known" | "left" | "suppressed" | "blocked" | "invalid";
  /** Of the subscriber. */
  id?: string;
  ignored?: string[];
  /** Why it is invalid. */
  details?: { field: string; message: string }[];
};

/**
 * Checked imports that wait for "Import". They are rows, so that any process can carry them out, also after a restart.
 */
export const pendingImports = sqliteTable(
  "pending_imports",
  {
    hash: text().primaryKey(), // SHA-256 of the token in the form
    kind: text({ enum: ["posts", "subscribers", "report"] }).notNull(), // report: what became of an import of subscribers
    sessionId: text().notNull(),
    options: text({ mode: "json" }).$type<Record<string, string>>().notNull().default({}),
    expiresAt: at().notNull(),
  },
  (t) => [index("pending_imports_expiry").on(t.expiresAt)],
);

export const pendingImportFiles = sqliteTable(
  "pending_import_files",
  {
    hash: text()
      .notNull()
      .references(() => pendingImports.hash, { onDelete: "cascade" }),
    position: integer().notNull(),
    name: text().notNull(),
    bytes: blob({ mode: "buffer" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.hash, t.position] })],
);
