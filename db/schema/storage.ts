import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, at, createdAt, flag } from "./columns";
import { posts } from "./posts";
import { projects } from "./projects";

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
    toldFreeBytes: integer(), // by the server's own figures, less what was stored since; null: it has none
    // Full as far as we know: an upload was refused for lack of room, and a trial confirmed it
    fullSince: at(),
    refusedBytes: integer(), // uploads of so many bytes and more go elsewhere
    retryBytes: integer(), // what was refused, to be tried again
    retryAt: at(), // when
    maxPutBytes: integer().notNull(), // the most that one PUT may carry, unless `server` is known to take more
    server: text(), // what it calls itself, when it was last heard; null: never heard
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
    etag: text(), // of the object, when it was completed
    checksums: text({ mode: "json" }).$type<Record<string, string>>(), // those that the client sent, as the provider keeps them
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
    index("uploads_refused_or_lost")
      .on(t.nodeId, t.outcome, t.createdAt)
      .where(sql`outcome in ('refused', 'lost', 'vanished')`),
    index("uploads_open_of_key")
      .on(t.apiKeyId, t.id)
      .where(sql`state not in ('completed', 'aborted')`),
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

/** On its way: what the indices uploads_due and uploads_open_of_key hold, in their words. */
export const isUnsettled = sql`${uploads.state} not in ('completed', 'aborted')`;

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
