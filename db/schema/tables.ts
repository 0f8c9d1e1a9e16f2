import { sql } from "drizzle-orm";
import { blob, check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

const id = () =>
  text()
    .primaryKey()
    .$defaultFn(() => Bun.randomUUIDv7());
const at = () => integer({ mode: "timestamp_ms" });
const createdAt = () =>
  at()
    .notNull()
    .$defaultFn(() => new Date());
const updatedAt = () => createdAt().$onUpdateFn(() => new Date());
const flag = () => integer({ mode: "boolean" });

// ── Newsletter ───────────────────────────────────────────────────────────────────────────────

export const subscribers = sqliteTable(
  "subscribers",
  {
    row: integer().primaryKey(), // stable rowid for the search index
    id: text()
      .notNull()
      .unique()
      .$defaultFn(() => Bun.randomUUIDv7()),
    email: text().notNull(), // as typed: what mail is sent to and what people see
    emailKey: text().notNull().unique(), // canonical form: what "the same address" means (D11)
    name: text(),
    source: text(),
    state: text({ enum: ["active", "unsubscribed"] })
      .notNull()
      .default("active"),
    suppressedAt: at(), // bounced or complained: no mail, whatever the state (D17)
    pendingAt: at(), // waits for double opt-in (D17)
    unsubscribedAt: at(),
    folded: text().notNull(), // e-mail and name as the search sees them
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    index("subscribers_created").on(t.createdAt, t.id),
    index("subscribers_state_created").on(t.state, t.createdAt, t.id),
    index("subscribers_source").on(t.source, t.createdAt, t.id),
    check("subscribers_known_state", sql`state in ('active', 'unsubscribed')`),
  ],
);

/** How many subscribers are in each state, counted by triggers: a million rows are not counted for a page. */
export const subscriberCounts = sqliteTable("subscriber_counts", {
  state: text({ enum: ["active", "unsubscribed"] }).primaryKey(),
  count: integer().notNull(),
});

/** What happened to an address, kept when the subscriber is deleted: consent has to be provable. */
export const subscriberEvents = sqliteTable(
  "subscriber_events",
  {
    id: id(),
    subscriberId: text().notNull(), // no foreign key: the event outlives the row
    kind: text({
      enum: ["subscribed", "unsubscribed", "reactivated", "restored", "deleted", "imported", "suppressed"],
    }).notNull(),
    via: text({ enum: ["form", "link", "one-click", "page", "manager", "import", "cli"] }).notNull(),
    source: text(),
    network: text(), // keyed hash of the /24 or /64, never the address
    userAgent: text(),
    probableScanner: flag().notNull().default(false), // D15
    actor: text(), // the manager's e-mail address, when a manager did it
    createdAt: createdAt(),
  },
  (t) => [
    index("subscriber_events_subscriber").on(t.subscriberId, t.createdAt),
    index("subscriber_events_network") // of those who left: only they are looked for by network
      .on(t.network, t.createdAt)
      .where(sql`kind = 'unsubscribed'`),
    index("subscriber_events_created").on(t.createdAt, t.kind),
    index("subscriber_events_scanner")
      .on(t.createdAt)
      .where(sql`probable_scanner = 1`),
  ],
);

// ── Contact ──────────────────────────────────────────────────────────────────────────────────

export const messages = sqliteTable(
  "messages",
  {
    id: id(),
    name: text().notNull(),
    email: text().notNull(),
    message: text().notNull(),
    source: text().notNull(),
    fingerprint: text().notNull(), // SHA-256 of who and what: finds the identical submission (D18)
    folded: text().notNull(),
    readAt: at(),
    archivedAt: at(),
    spamReason: text(), // set: the message lies in Spam
    deletedAt: at(), // set: the message lies in Trash, for 30 days (D39)
    createdAt: createdAt(),
  },
  (t) => [
    index("messages_created").on(t.createdAt, t.id),
    // Lists each box in order, and counts it and what is unread in it, without a look at the messages themselves
    index("messages_box").on(t.deletedAt, t.spamReason, t.archivedAt, t.createdAt, t.id, t.readAt),
    index("messages_source").on(t.source, t.createdAt),
    index("messages_fingerprint").on(t.fingerprint, t.createdAt),
  ],
);

/** Answers remembered for 24 hours under an Idempotency-Key, each caller's own (D18, P72). */
export const idempotencyKeys = sqliteTable("idempotency_keys", {
  key: text().primaryKey(), // a hash of the endpoint, whose key it is, and the header value
  fingerprint: text().notNull(),
  resultId: text().notNull(),
  createdAt: createdAt(),
});

// ── Mail ─────────────────────────────────────────────────────────────────────────────────────

export const outbox = sqliteTable(
  "outbox",
  {
    id: id(), // also the provider's Idempotency-Key
    kind: text({ enum: ["welcome", "contact", "test"] }).notNull(), // invitation links are shown, not mailed
    recipient: text().notNull(),
    recipientKey: text().notNull(), // canonical
    subjectId: text(), // the subscriber or message it is about
    subjectGone: flag().notNull().default(false), // the subscriber was deleted; set by a trigger
    payload: text({ mode: "json" }).$type<Record<string, string>>().notNull(), // never a token: links are made when it is sent
    state: text({ enum: ["queued", "sent", "simulated", "dead", "cancelled"] })
      .notNull()
      .default("queued"),
    attempts: integer().notNull().default(0),
    nextAttemptAt: at()
      .notNull()
      .$defaultFn(() => new Date()),
    lastError: text(),
    providerId: text(),
    sentAt: at(),
    createdAt: createdAt(),
  },
  (t) => [
    index("outbox_due")
      .on(t.nextAttemptAt)
      .where(sql`state = 'queued'`),
    index("outbox_created").on(t.createdAt, t.id),
    index("outbox_state").on(t.state, t.createdAt, t.id),
    index("outbox_subject").on(t.subjectId),
    index("outbox_gone") // the cap on welcome mails holds for an address, whoever was deleted in between (D13)
      .on(t.recipientKey, t.createdAt)
      .where(sql`subject_gone = 1`),
    check("outbox_known_state", sql`state in ('queued', 'sent', 'simulated', 'dead', 'cancelled')`),
  ],
);

// ── Content ──────────────────────────────────────────────────────────────────────────────────

export const posts = sqliteTable(
  "posts",
  {
    row: integer().primaryKey(), // stable rowid for the search index
    id: text()
      .notNull()
      .unique()
      .$defaultFn(() => Bun.randomUUIDv7()),
    slug: text().notNull().unique(),
    title: text().notNull(),
    excerpt: text().notNull().default(""),
    coverImage: text().notNull().default(""),
    author: text().notNull().default(""),
    readingTime: integer().notNull().default(1), // minutes
    published: flag().notNull().default(false),
    publishedAt: at(),
    views: integer().notNull().default(0),
    version: integer().notNull().default(1), // counts edits: two managers editing at once are told
    deletedAt: at(), // set: the post lies in the trash, for 30 days (D39)
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    // The long ones come last: SQLite then reads the others without walking through these.
    folded: text().notNull(), // title, excerpt and content as the search sees them
    content: text().notNull().default(""), // MDX source, never compiled here
  },
  (t) => [
    index("posts_published")
      .on(t.publishedAt, t.id)
      .where(sql`published = 1 and deleted_at is null`),
    index("posts_hidden")
      .on(t.publishedAt)
      .where(sql`published = 0 or deleted_at is not null or published_at is null`),
    // The desk's orders. What has no time yet comes before everything that has one.
    index("posts_desk")
      .on(sql`case when published_at is null then 9e15 else published_at end`, t.id)
      .where(sql`deleted_at is null`),
    index("posts_drafts")
      .on(sql`case when published_at is null then 9e15 else published_at end`, t.id)
      .where(sql`published = 0 and deleted_at is null`),
    index("posts_titles")
      .on(sql`title collate nocase`, t.id)
      .where(sql`deleted_at is null`),
    index("posts_views")
      .on(t.views, t.id)
      .where(sql`deleted_at is null`),
    // Drafts lie at one end of those orders: readers have not seen them
    index("posts_drafts_titles")
      .on(sql`title collate nocase`, t.id)
      .where(sql`published = 0 and deleted_at is null`),
    index("posts_drafts_views")
      .on(t.views, t.id)
      .where(sql`published = 0 and deleted_at is null`),
    index("posts_trash")
      .on(t.deletedAt, t.id)
      .where(sql`deleted_at is not null`),
  ],
);

/** How many posts are in each state, counted by triggers. A released one is published or scheduled. */
export const postCounts = sqliteTable("post_counts", {
  state: text({ enum: ["draft", "released", "trash"] }).primaryKey(),
  count: integer().notNull(),
});

/** Addresses a post had before: they lead to the one it has now. */
export const postSlugs = sqliteTable(
  "post_slugs",
  {
    slug: text().primaryKey(),
    postId: text()
      .notNull()
      .references(() => posts.id, { onDelete: "cascade" }),
    createdAt: createdAt(),
  },
  (t) => [index("post_slugs_post").on(t.postId)],
);

/** What a post was, each time it was saved; and what a manager has typed since, one draft for each of them. */
export const postRevisions = sqliteTable(
  "post_revisions",
  {
    id: id(),
    postId: text()
      .notNull()
      .references(() => posts.id, { onDelete: "cascade" }),
    kind: text({ enum: ["saved", "draft"] }).notNull(),
    version: integer().notNull(), // saved: the version it became. draft: the version it began with
    fields: text({ mode: "json" }).$type<Record<string, string>>().notNull(), // the form without the body
    savedBy: text().notNull(), // the manager's e-mail address, or "cli"
    savedAt: createdAt(),
    content: text().notNull(),
  },
  (t) => [
    index("post_revisions_post").on(t.postId, t.savedAt),
    uniqueIndex("post_revisions_draft")
      .on(t.postId, t.savedBy)
      .where(sql`kind = 'draft'`),
    check("post_revisions_known_kind", sql`kind in ('saved', 'draft')`),
  ],
);

export const tags = sqliteTable("tags", {
  slug: text().primaryKey(),
  name: text().notNull(),
  posts: integer().notNull().default(0), // how many carry it, those in the trash left out; counted by triggers
  released: integer().notNull().default(0), // how many of these are published or scheduled; the same
});

export const postTags = sqliteTable(
  "post_tags",
  {
    postId: text()
      .notNull()
      .references(() => posts.id, { onDelete: "cascade" }),
    tagSlug: text()
      .notNull()
      .references(() => tags.slug, { onDelete: "cascade" }),
    position: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.postId, t.tagSlug] }), index("post_tags_tag").on(t.tagSlug, t.postId)],
);

export const projects = sqliteTable(
  "projects",
  {
    id: id(),
    slug: text().notNull().unique(),
    title: text().notNull(),
    description: text().notNull().default(""),
    imageUrl: text().notNull().default(""),
    liveUrl: text().notNull().default(""),
    githubUrl: text().notNull().default(""),
    featured: flag().notNull().default(false),
    status: text({ enum: ["DRAFT", "PUBLISHED", "ARCHIVED"] })
      .notNull()
      .default("DRAFT"),
    displayOrder: integer().notNull().default(0),
    clicks: integer().notNull().default(0),
    tech: text({ mode: "json" }).$type<string[]>().notNull().default([]),
    author: text().notNull().default(""),
    version: integer().notNull().default(1), // counts edits: two managers editing at once are told
    deletedAt: at(), // set: the project lies in the trash, for 30 days (D39)
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [index("projects_order").on(t.status, t.featured, t.displayOrder, t.createdAt)],
);

export const settings = sqliteTable("settings", {
  key: text().primaryKey(),
  value: text().notNull(),
  isPublic: flag().notNull().default(false), // only these leave through the API (D27)
  version: integer().notNull().default(1), // two managers editing at once are told
  updatedBy: text(),
  updatedAt: updatedAt(),
});

/** One row a topic, counted up by triggers: what caches and ETags are keyed with, across processes. */
export const versions = sqliteTable("versions", {
  topic: text().primaryKey(), // posts, projects, settings, feeds, keys
  version: integer().notNull(),
  changedAt: at().notNull(),
});

// ── Uploads ──────────────────────────────────────────────────────────────────────────────────

export const storageNodes = sqliteTable(
  "storage_nodes",
  {
    id: id(),
    name: text().notNull().unique(),
    endpoint: text().notNull(), // what the service calls
    publicEndpoint: text().notNull(), // what presigned URLs are made for
    region: text().notNull(),
    bucket: text().notNull(),
    accessKey: text().notNull(),
    secret: text().notNull(), // AES-GCM, key derived from APP_SECRET
    // draining: takes nothing new. down: out of use until the configuration names it again
    state: text({ enum: ["active", "draining", "down"] })
      .notNull()
      .default("active"),
    downUntil: at(), // a node that failed three times rests
    failures: integer().notNull().default(0), // in a row
    capacityBytes: integer().notNull(),
    usedBytes: integer().notNull().default(0),
    reservedBytes: integer().notNull().default(0),
    maxPutBytes: integer().notNull(), // the most that one PUT may carry
    staleUploadHours: integer().notNull().default(24), // when the provider itself drops an open upload
    signedLength: flag(), // whether the probe saw a wrong Content-Length refused
    checkedAt: at(),
    checkError: text(),
    probe: text({ mode: "json" }).$type<Record<string, string>>(), // what the last probe found, check by check
    createdAt: createdAt(),
  },
  () => [
    check(
      "storage_nodes_fits",
      sql`used_bytes >= 0 and reserved_bytes >= 0 and used_bytes + reserved_bytes <= capacity_bytes`,
    ),
  ],
);

export const folders = sqliteTable("folders", {
  id: id(),
  path: text().notNull().unique(), // "" is the root; a further index, by the folder above, is in the migration
  createdAt: createdAt(),
});

export const uploads = sqliteTable(
  "uploads",
  {
    id: id(), // the reservation
    nodeId: text()
      .notNull()
      .references(() => storageNodes.id),
    folderId: text()
      .notNull()
      .references(() => folders.id),
    apiKeyId: text(), // the key that reserved it, or
    managerId: text(), // the manager who did, in the dashboard
    objectKey: text().notNull().unique(), // made by us, never from the file name
    providerUploadId: text(),
    filename: text().notNull(),
    mimeType: text().notNull(),
    size: integer().notNull(),
    partSize: integer(), // the plan of a multipart upload; null: one PUT carries it all
    received: integer().notNull().default(0), // bytes of whole parts, when the provider was last asked
    urlExpiresAt: at(), // the last URL that was signed for it
    folded: text().notNull().default(""), // the file name as the search sees it
    deletedAt: at(), // set: the file lies in the trash, its bytes still with the provider
    purgeAt: at(), // when they are removed for good
    state: text({ enum: ["pending", "open", "completing", "completed", "aborting", "aborted"] })
      .notNull()
      .default("pending"),
    outcome: text(), // why it was aborted
    nextCheckAt: at().notNull(),
    checks: integer().notNull().default(0),
    holdUntil: at().notNull(), // then the bytes are released
    completedAt: at(),
    createdAt: createdAt(),
  },
  (t) => [
    index("uploads_due")
      .on(t.nextCheckAt)
      .where(sql`state not in ('completed', 'aborted')`),
    index("uploads_node").on(t.nodeId, t.state),
    index("uploads_folder").on(t.folderId, t.filename),
    index("uploads_files")
      .on(t.folderId, t.folded, t.id)
      .where(sql`state = 'completed' and deleted_at is null`),
    index("uploads_purge")
      .on(t.purgeAt)
      .where(sql`purge_at is not null`),
    check("uploads_known_state", sql`state in ('pending', 'open', 'completing', 'completed', 'aborting', 'aborted')`),
  ],
);

/** Which files a post or a project uses, by `/media/<id>/` in its text. Triggers keep it: nobody has to remember to. */
export const postFiles = sqliteTable(
  "post_files",
  {
    fileId: text()
      .notNull()
      .references(() => uploads.id, { onDelete: "cascade" }),
    postId: text()
      .notNull()
      .references(() => posts.id, { onDelete: "cascade" }),
  },
  (t) => [primaryKey({ columns: [t.fileId, t.postId] }), index("post_files_post").on(t.postId)],
);
export const projectFiles = sqliteTable(
  "project_files",
  {
    fileId: text()
      .notNull()
      .references(() => uploads.id, { onDelete: "cascade" }),
    projectId: text()
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
  },
  (t) => [primaryKey({ columns: [t.fileId, t.projectId] }), index("project_files_project").on(t.projectId)],
);

// ── Access ───────────────────────────────────────────────────────────────────────────────────

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
    expiresAt: at().notNull(),
    usedAt: at(),
    createdAt: createdAt(),
  },
  (t) => [index("one_time_tokens_expiry").on(t.expiresAt)],
);

export const auditEvents = sqliteTable(
  "audit_events",
  {
    id: id(),
    actor: text().notNull(), // a manager's e-mail address, "cli" or "system"
    action: text().notNull(), // "api-key.deactivate": noun, dot, verb
    targetId: text(),
    target: text(), // what people call it
    details: text({ mode: "json" }).$type<Record<string, string>>().notNull().default({}), // never a secret
    address: text(),
    folded: text().notNull(), // the target as the search sees it
    createdAt: createdAt(),
  },
  (t) => [
    index("audit_events_created").on(t.createdAt, t.id),
    index("audit_events_actor").on(t.actor, t.createdAt),
    index("audit_events_target").on(t.targetId),
  ],
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
