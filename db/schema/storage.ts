import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, at, createdAt, flag } from "./columns";
import { posts } from "./posts";
import { projects } from "./projects";
import { settings } from "./settings";

export const storageNodes = sqliteTable(
  "storage_nodes",
  {
    id: id(),
    name: text().notNull().unique(),
    endpoint: text().notNull(), // the URL the service calls
    publicEndpoint: text().notNull(), // the URL that presigned URLs are based on
    region: text().notNull(),
    bucket: text().notNull(),
    accessKey: text().notNull(),
    secret: text().notNull(), // AES-GCM, key derived from APP_SECRET
    // draining: accepts no new uploads. down: not used until the configuration names it again
    state: text({ enum: ["active", "draining", "down"] })
      .notNull()
      .default("active"),
    downUntil: at(), // set while a node is paused after three failures
    failures: integer().notNull().default(0), // in a row
    capacityBytes: integer().notNull(),
    usedBytes: integer().notNull().default(0),
    reservedBytes: integer().notNull().default(0),
    toldFreeBytes: integer(), // reported by the server, minus what was stored since; null if it reports nothing
    // Known to be full: an upload was rejected for lack of space, and a test write confirmed it
    fullSince: at(),
    refusedBytes: integer(), // uploads of this size and larger go elsewhere
    retryBytes: integer(), // the size to try again
    retryAt: at(), // when to try again
    maxPutBytes: integer().notNull(), // the largest PUT, unless `server` is known to accept more
    server: text(), // its Server header when last called; null: never called
    staleUploadHours: integer().notNull().default(24), // when the provider itself discards an open upload
    signedLength: flag(), // whether the probe saw a wrong Content-Length rejected
    checkedAt: at(),
    checkError: text(),
    probe: text({ mode: "json" }).$type<Record<string, string>>(), // the result of the last probe, check by check
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
  path: text().notNull().unique(), // "" is the root; the index on the parent folder is in the migration
  createdAt: createdAt(),
});

/** `as-is`: moving, or larger than what is decoded. `unreadable`: damaged, or no picture at all. */
const pictureKinds = ["opaque", "transparent", "as-is", "unreadable"] as const;

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
    objectKey: text().notNull().unique(), // generated, never taken from the file name
    providerUploadId: text(),
    filename: text().notNull(),
    mimeType: text().notNull(),
    size: integer().notNull(),
    partSize: integer(), // for a multipart upload; null: a single PUT
    received: integer().notNull().default(0), // bytes of complete parts, when the provider was last queried
    urlExpiresAt: at(), // expiry of the last URL signed for it
    folded: text().notNull().default(""), // the file name, folded for searching
    deletedAt: at(), // if set, the file is in the trash, its bytes still at the provider
    purgeAt: at(), // when they are permanently deleted
    state: text({ enum: ["pending", "open", "completing", "completed", "aborting", "aborted"] })
      .notNull()
      .default("pending"),
    outcome: text(), // why it was aborted
    etag: text(), // of the object, at completion
    metadata: text({ mode: "json" }).$type<Record<string, string>>(), // names and values of the client's own; null: none
    checksums: text({ mode: "json" }).$type<Record<string, string>>(), // those the client sent, as the provider stores them, and the MD5 that it announced
    nextCheckAt: at().notNull(),
    checks: integer().notNull().default(0),
    holdUntil: at().notNull(), // when the reserved bytes are released
    verifyingSince: at(), // all bytes are there, and endpoints were asked whether it may become a file
    completedAt: at(),
    width: integer(), // of a picture, upright; null: not read yet, or none
    height: integer(),
    picture: text({ enum: pictureKinds }), // what may be made of it; null: not read yet, or no picture
    measureAt: at(), // when the picture is to be read; null: it has been, or there is none
    pictureFailures: integer().notNull().default(0), // how often the process that reads pictures died of it
    alt: text(), // alternative text; null: nobody has written one
    focalX: integer(), // the point that stays in view, in percent from the left; null: the middle
    focalY: integer(),
    createdAt: createdAt(),
  },
  (t) => [
    index("uploads_pictures")
      .on(t.id)
      .where(
        sql`state = 'completed' and deleted_at is null and lower(substr(mime_type, 1, 6)) = 'image/' and lower(substr(mime_type, 1, 9)) <> 'image/svg'`,
      ),
    index("uploads_measure")
      .on(t.measureAt)
      .where(sql`measure_at is not null and state = 'completed'`),
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

/** A picture in Storage, worded like the index `uploads_pictures`. SVG is a program for drawing, and only ever downloaded. */
export const isStoredPicture = sql`${uploads.state} = 'completed' and ${uploads.deletedAt} is null and lower(substr(${uploads.mimeType}, 1, 6)) = 'image/' and lower(substr(${uploads.mimeType}, 1, 9)) <> 'image/svg'`;

/** In progress, worded like the indexes uploads_due and uploads_open_of_key. */
export const isUnsettled = sql`${uploads.state} not in ('completed', 'aborted')`;

/**
 * Which files a post or project uses, found by `/media/<id>/` in its text. Maintained by triggers, so no caller can
 * forget it.
 */
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

/** The same of settings: the text of the welcome email, and URLs that sites read. */
export const settingFiles = sqliteTable(
  "setting_files",
  {
    fileId: text()
      .notNull()
      .references(() => uploads.id, { onDelete: "cascade" }),
    settingKey: text()
      .notNull()
      .references(() => settings.key, { onDelete: "cascade" }),
  },
  (t) => [primaryKey({ columns: [t.fileId, t.settingKey] }), index("setting_files_setting").on(t.settingKey)],
);

/**
 * The sizes of pictures that have been made, and those being made. Like the object they were made of, they are not
 * touched when a file gets another object.
 */
export const fileVariants = sqliteTable(
  "file_variants",
  {
    key: text().primaryKey(), // of the object: variants/<object>/<width>.<format>
    nodeId: text()
      .notNull()
      .references(() => storageNodes.id),
    bytes: integer().notNull().default(0), // counted in the node's used bytes
    claimedUntil: at().notNull(), // the process that makes it has died if it is not ready by then
    readyAt: at(),
  },
  (t) => [index("file_variants_node").on(t.nodeId, t.key)],
);
