import { blob, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, at, createdAt, flag } from "./columns";

export const apiKeys = sqliteTable("api_keys", {
  id: id(),
  name: text().notNull(),
  hash: text().notNull().unique(), // SHA-256 of the key; the key itself is shown once and never stored
  prefix: text().notNull(), // "site_live_", for the list
  lastFour: text().notNull(),
  active: flag().notNull().default(true),
  lastUsedAt: at(),
  createdBy: text(),
  deactivatedAt: at(),
  createdAt: createdAt(),
});

export const managers = sqliteTable("managers", {
  id: id(),
  email: text().notNull(),
  emailKey: text().notNull().unique(),
  name: text().notNull().default(""),
  role: text({ enum: ["owner", "manager"] }).notNull(),
  passwordHash: text().notNull(), // argon2id; the row is made when the set-up or invitation link is used
  totpSecret: text(), // AES-GCM; null without a second step
  totpLastStep: integer(), // a code works once
  preferences: text({ mode: "json" }).$type<Record<string, string>>().notNull().default({}),
  lastSeenAt: at(),
  createdAt: createdAt(),
});

export const recoveryCodes = sqliteTable(
  "recovery_codes",
  {
    managerId: text()
      .notNull()
      .references(() => managers.id, { onDelete: "cascade" }),
    hash: text().notNull(),
    usedAt: at(),
  },
  (t) => [primaryKey({ columns: [t.managerId, t.hash] })],
);

export const passkeys = sqliteTable("passkeys", {
  id: text().primaryKey(), // the credential id, base64url
  managerId: text()
    .notNull()
    .references(() => managers.id, { onDelete: "cascade" }),
  publicKey: blob({ mode: "buffer" }).notNull(),
  counter: integer().notNull(),
  transports: text({ mode: "json" }).$type<string[]>().notNull().default([]),
  name: text().notNull(),
  lastUsedAt: at(),
  createdAt: createdAt(),
});

export const sessions = sqliteTable(
  "sessions",
  {
    hash: text().primaryKey(), // SHA-256 of the cookie
    id: text()
      .notNull()
      .unique()
      .$defaultFn(() => Bun.randomUUIDv7()), // what the sessions list calls it
    managerId: text()
      .notNull()
      .references(() => managers.id, { onDelete: "cascade" }),
    address: text(), // shown to the manager so that he knows his own devices
    userAgent: text(),
    confirmedAt: createdAt(), // the last time the password was asked: sensitive pages want it fresh
    seenAt: createdAt(),
    createdAt: createdAt(),
  },
  (t) => [index("sessions_manager").on(t.managerId)],
);

/** Links and codes that work once: first set-up, invitation, password reset, sign-in challenges, form tokens. */
export const oneTimeTokens = sqliteTable(
  "one_time_tokens",
  {
    hash: text().primaryKey(),
    purpose: text({ enum: ["setup", "invite", "reset", "passkey", "form", "second-step"] }).notNull(),
    subject: text(), // whom it is for: a manager, an invited address, the session it is bound to
    payload: text({ mode: "json" }).$type<Record<string, string>>().notNull().default({}),
    madeBy: text(), // the id of the manager who made the link: it is withdrawn with him (P74). Null: the command line
    expiresAt: at().notNull(),
    usedAt: at(),
    createdAt: createdAt(),
  },
  (t) => [index("one_time_tokens_expiry").on(t.expiresAt)],
);

/** The sliding windows of rate limits (D30), so that a restart forgives nobody. */
export const rateLimitHits = sqliteTable(
  "rate_limit_hits",
  {
    limit: text().notNull(), // subscribe, contact, sign-in…
    client: text().notNull(), // keyed hash of the address
    at: at().notNull(),
  },
  (t) => [index("rate_limit_hits_at").on(t.at)],
);

/** Rules that an owner has switched on for all managers. No row: the rule is off. */
export const accessRules = sqliteTable("access_rules", {
  name: text({ enum: ["two-factor"] }).primaryKey(), // everybody needs a second step or a passkey (P76)
  since: at().notNull(),
});
