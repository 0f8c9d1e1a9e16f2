import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { at, createdAt, flag, id, publicId } from "./columns";
import type { Scope } from "./scopes";

/** What a key may upload; what is absent is not limited. */
export type UploadLimits = {
  maxBytes?: number;
  /** Types such as "image/png", or all of a kind: "image/*". */
  mimeTypes?: string[];
  /** Into this folder and those inside it. */
  folder?: string;
};

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
  expiresAt: at(), // from then on it is refused like an inactive one; null: never
  replacedBy: text(), // the key that was generated in its place
  scopes: text({ mode: "json" }).$type<Scope[]>(), // null: everything that keys could do before there were scopes
  networks: text({ mode: "json" }).$type<string[]>(), // it is accepted from these only; null: from everywhere
  uploadLimits: text({ mode: "json" }).$type<UploadLimits>(), // what it may upload; null: everything
  firstUsedAt: at(), // null also for keys that were used only before this was recorded
  endsWhenQuiet: flag().notNull().default(false), // replaced: it ends after a day without a call, once the new one is used
  warnedDays: integer(), // the last warning before it expires: 14 or 3 days
  createdAt: createdAt(),
});

/** Who used a key, to find out who still has an old one: some callers of each key, the latest ones. */
export const apiKeyCallers = sqliteTable(
  "api_key_callers",
  {
    id: text().primaryKey(), // hash of what distinguishes callers
    keyId: text().notNull(),
    network: text().notNull(), // the /24 or /64
    agent: text().notNull(),
    route: text().notNull(), // "GET /api/v1/posts/:slug"
    outcome: text({ enum: ["accepted", "network", "scope"] }).notNull(), // what refused the call
    calls: integer().notNull(),
    lastAt: at().notNull(),
  },
  (t) => [index("api_key_callers_key").on(t.keyId, t.lastAt)],
);

export const managers = sqliteTable("managers", {
  id: id(),
  email: text().notNull(),
  emailKey: text().notNull().unique(),
  name: text().notNull().default(""),
  role: text({ enum: ["owner", "manager", "editor", "analyst"] }).notNull(),
  passwordHash: text().notNull(), // argon2id; the row is created when the setup or invitation link is used
  totpSecret: text(), // AES-GCM; null without two-step verification
  totpLastStep: integer(), // each code works once
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
    id: publicId(), // its ID in the sessions list
    managerId: text()
      .notNull()
      .references(() => managers.id, { onDelete: "cascade" }),
    address: text(), // shown to managers so that they recognise their devices
    userAgent: text(),
    notices: text({ mode: "json" }).$type<unknown[]>(), // for the page opened next, after a redirect
    confirmedAt: createdAt(), // when the password was last confirmed; sensitive pages require a recent confirmation
    seenAt: createdAt(),
    createdAt: createdAt(),
  },
  (t) => [index("sessions_manager").on(t.managerId)],
);

/** One-time links and codes: setup, invitation, password reset, sign-in challenges, form tokens. */
export const oneTimeTokens = sqliteTable(
  "one_time_tokens",
  {
    hash: text().primaryKey(),
    purpose: text({ enum: ["setup", "invite", "reset", "passkey", "form", "second-step"] }).notNull(),
    subject: text(), // for whom it is: a manager, an invited address, or the session it is bound to
    payload: text({ mode: "json" }).$type<Record<string, string>>().notNull().default({}),
    madeBy: text(), // the manager who created the link, with whom it is withdrawn; null: the command line
    expiresAt: at().notNull(),
    usedAt: at(),
    createdAt: createdAt(),
  },
  (t) => [index("one_time_tokens_expiry").on(t.expiresAt)],
);

/** The sliding windows of rate limits (D30), so that they survive a restart. */
export const rateLimitHits = sqliteTable(
  "rate_limit_hits",
  {
    limit: text().notNull(), // subscribe, contact, sign-in…
    client: text().notNull(), // keyed hash of the address
    at: at().notNull(),
  },
  (t) => [index("rate_limit_hits_at").on(t.at)],
);

/** Rules that an owner has turned on for all managers. Without a row, a rule is off. */
export const accessRules = sqliteTable("access_rules", {
  name: text({ enum: ["two-factor"] }).primaryKey(), // everyone needs two-step verification or a passkey
  since: at().notNull(),
});

/** The state of a list that a manager saved under a name: a preference, which the audit log does not record. */
export const savedViews = sqliteTable(
  "saved_views",
  {
    id: id(),
    managerId: text()
      .notNull()
      .references(() => managers.id, { onDelete: "cascade" }),
    path: text().notNull(), // the list's path
    name: text().notNull(),
    query: text().notNull(), // the query of its URL, without the page
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex("saved_views_name").on(t.managerId, t.path, t.name)],
);
