import { and, eq, isNull, lte, sql } from "drizzle-orm";
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import { type Db, type Orm, prepared } from "../engine/open";
import * as audit from "../audit";
import * as capacity from "./nodes/capacity";
import { isUnsettled, uploads } from "../schema/storage";
import { verifiersOf } from "../events/webhook-events";
import type { StorageNode } from "./nodes/nodes";
import { queueQuestions, recordFile, verifyingColumns } from "./verification";

export type Upload = typeof uploads.$inferSelect;

/**
 * The states in which an upload has ended and no longer changes; `isUnsettled` in `db/schema/storage.ts` is the
 * condition for the others.
 */
export const settledStates = ["completed", "aborted"] as const satisfies Upload["state"][];
export const isSettled = (state: Upload["state"]): boolean => settledStates.some((settled) => settled === state);

/** How long a URL for an upload or download is valid (spec 4.7: expiresIn 3600). */
export const urlLifetimeSeconds = 3_600;
const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const urlLifetimeMs = urlLifetimeSeconds * secondMs;
const minBytesPerMs = 5e6 / secondMs; // the slowest transfer we wait for

/** How long a reservation may have no upload at the provider: opening one takes at most 10 seconds. */
export const openTimeoutMs = minuteMs;

/**
 * Returns when the reservation expires: a URL's lifetime plus time for the bytes, within the provider's limit, which is a
 * day unless the node says otherwise (`staleUploadHours`). New URLs extend it, and so does each part that arrives. Within
 * a minute after that, `src/storage/uploads/poller.ts` ends the upload as `aborted`: its bytes are discarded at the node,
 * and their space is free; the row stays.
 */
export function holdUntil(
  { staleUploadHours }: StorageNode,
  { createdAt, size, received }: Pick<Upload, "createdAt" | "size" | "received">,
  now: Date,
): Date {
  const wanted = now.getTime() + urlLifetimeMs + Math.max(15 * minuteMs, (size - received) / minBytesPerMs);
  return new Date(Math.min(wanted, createdAt.getTime() + staleUploadHours * 60 * minuteMs));
}

const nowOpen = prepared((orm) =>
  orm
    .update(uploads)
    .set({
      state: "open",
      providerUploadId: sql`${sql.placeholder("providerUploadId")}`,
      urlExpiresAt: sql`${sql.placeholder("urlExpiresAt")}`,
      nextCheckAt: sql`${sql.placeholder("nextCheckAt")}`,
    })
    .where(and(eq(uploads.id, sql.placeholder("id")), eq(uploads.state, "pending")))
    .returning()
    .prepare(),
);

/**
 * Records that the provider opened the upload. Returns false if the reservation was aborted in the meantime, or another
 * process has opened it.
 *
 * @param by the manager named in the audit log (D40)
 */
export const markOpen = (
  db: Db,
  { id, providerUploadId }: { id: string; providerUploadId: string },
  now: Date,
  by?: audit.ActorWithDetails,
): Promise<boolean> =>
  db.write(async (orm) => {
    const times = { urlExpiresAt: now.getTime() + urlLifetimeMs, nextCheckAt: now.getTime() + secondMs };
    const upload = await nowOpen(orm).get({ id, providerUploadId, ...times });
    if (upload && by)
      await audit.record(orm, { ...by, action: "file.upload", targetId: id, target: upload.filename }, now);
    return upload !== undefined;
  });

/** An upload as it was read: whatever is decided from it holds only as long as none of these has changed. */
type AsRead = Pick<Upload, "id" | "state" | "providerUploadId" | "holdUntil" | "verifyingSince">;

/**
 * Converts a single PUT into a multipart upload: another upload must be opened at the provider. The row keeps the ID of
 * the previous one, which must be aborted first. Returns false if the upload has changed.
 */
export const startReopening = (db: Db, upload: AsRead, partSize: number, now: Date): Promise<boolean> =>
  change(db, upload, ["open"], {
    state: "pending",
    partSize,
    checksums: null, // of the whole, which no part has
    received: 0,
    nextCheckAt: new Date(now.getTime() + openTimeoutMs),
  });

/** Extends the reservation by the lifetime of the URLs now issued, and time for the bytes. False if it has changed. */
export const extendForUrls = (db: Db, upload: Upload, node: StorageNode, now: Date): Promise<boolean> =>
  change(db, upload, ["open"], {
    urlExpiresAt: new Date(now.getTime() + urlLifetimeMs),
    holdUntil: later(upload.holdUntil, holdUntil(node, upload, now)),
  });

/**
 * Records the bytes received. Progress of a multipart upload extends the reservation. Returns the upload as it is then;
 * undefined if it has changed.
 */
export async function recordProgress(
  db: Db,
  { upload, received, node }: { upload: Upload; received: number; node: StorageNode },
  now: Date,
) {
  if (received === upload.received) return upload;
  const hasProgress = upload.partSize !== null && received > upload.received;
  const until = hasProgress ? later(upload.holdUntil, holdUntil(node, { ...upload, received }, now)) : upload.holdUntil;
  const set = { received, holdUntil: until };
  return (await change(db, upload, ["open", "completing"], set)) ? { ...upload, ...set } : undefined;
}

const later = (a: Date, b: Date) => (a > b ? a : b);

/**
 * Records that all bytes arrived. Returns false if the upload has changed.
 *
 * @param checksums sent by the client, if known
 */
export const startCompleting = (db: Db, upload: AsRead, checksums?: Record<string, string> | null): Promise<boolean> =>
  change(db, upload, ["open", "completing"], { state: "completing", ...(checksums !== undefined && { checksums }) });

/**
 * Starts aborting the upload. Its bytes stay reserved until the provider has discarded it too. Returns false if it has
 * changed: it may be completing.
 *
 * @param cancelled the manager named in the audit log (D40)
 */
export const startAborting = (
  db: Db,
  upload: AsRead,
  { outcome, nextCheckAt }: { outcome: string; nextCheckAt: Date },
  cancelled?: { by: audit.ActorWithDetails; now: Date },
): Promise<boolean> =>
  db.write(async (orm) => {
    const aborted = await changed(orm, upload, unsettled, { state: "aborting", outcome, nextCheckAt });
    const event = { action: "file.upload-cancel" as const, targetId: upload.id, target: aborted?.filename };
    if (aborted && cancelled) await audit.record(orm, { ...cancelled.by, ...event }, cancelled.now);
    return aborted !== undefined;
  });

/** Schedules the next check. Returns false if the upload has changed. */
export const postpone = (db: Db, upload: AsRead, nextCheckAt: Date): Promise<boolean> =>
  change(db, upload, unsettled, { nextCheckAt, checks: sql`checks + 1` });

const unsettled: Upload["state"][] = ["pending", "open", "completing", "aborting"];
type Change = SQLiteUpdateSetSource<typeof uploads>;

const change = (db: Db, upload: AsRead, from: Upload["state"][], set: Change): Promise<boolean> =>
  db.write(async (orm) => (await changed(orm, upload, from, set)) !== undefined, { guarded: true });

/**
 * Returns the updated upload; undefined if it was in none of these states, or if it is no longer as it was read:
 * another process may have ended it, converted it to multipart, or issued URLs.
 */
function changed(orm: Orm, upload: AsRead, from: Upload["state"][], set: Change) {
  const { id, state, providerUploadId, holdUntil, verifyingSince } = upload;
  if (!from.includes(state)) return undefined;
  const isSame = sql`${uploads.providerUploadId} is not distinct from ${providerUploadId}`;
  const since = verifyingSince ? eq(uploads.verifyingSince, verifyingSince) : isNull(uploads.verifyingSince);
  const asRead = and(eq(uploads.id, id), eq(uploads.state, state), isSame, since, eq(uploads.holdUntil, holdUntil));
  const { filename, nodeId, size } = uploads;
  return orm.update(uploads).set(set).where(asRead).returning({ filename, nodeId, size }).get();
}

type End = {
  state: (typeof settledStates)[number];
  outcome?: string | undefined;
  etag?: string | undefined;
};

/**
 * Ends the upload and moves its bytes, exactly once. Returns false if it has changed: it may have ended. Only an upload
 * in `completing` can be completed.
 */
export const settle = (db: Db, upload: AsRead, end: End, now: Date): Promise<boolean> =>
  db.write((orm) => settleIn(orm, upload, end, now));

async function settleIn(orm: Orm, upload: AsRead, { state, outcome, etag }: End, now: Date): Promise<boolean> {
  const isCompleted = state === "completed";
  const set = { state, outcome, etag, ...(isCompleted && { completedAt: now, received: sql`size` }) };
  const settled = await changed(orm, upload, isCompleted ? ["completing"] : unsettled, set);
  if (!settled) return false;
  const { nodeId, size } = settled;
  if (isCompleted) await recordFile(orm, { id: upload.id, nodeId, size }, now);
  else await capacity.adjustBytes(orm, nodeId, { reserved: -size });
  return true;
}

/**
 * Makes the upload a file, or asks the endpoints that decide about it. Returns undefined if it has changed.
 *
 * @param upload in `completing`, with all bytes at its node
 */
export const finish = (
  db: Db,
  { upload, etag }: { upload: AsRead; etag: string },
  now: Date,
): Promise<"completed" | "verifying" | undefined> =>
  db.write(async (orm) => {
    const endpoints = await verifiersOf(orm);
    if (!endpoints.length)
      return (await settleIn(orm, upload, { state: "completed", etag }, now)) ? "completed" : undefined;
    if (!(await changed(orm, upload, ["completing"], { etag, ...verifyingColumns(now) }))) return undefined;
    await queueQuestions(orm, upload.id, endpoints, now);
    return "verifying";
  });

const duePrepared = prepared((orm) =>
  orm
    .select()
    .from(uploads)
    .where(
      and(eq(uploads.nodeId, sql.placeholder("nodeId")), isUnsettled, lte(uploads.nextCheckAt, sql.placeholder("now"))),
    )
    .orderBy(uploads.nextCheckAt)
    .limit(500)
    .prepare(),
);

/** Returns the node's uploads due for a check, most overdue first; at most 500. */
export const due = (db: Db, nodeId: string, now: Date): Promise<Upload[]> =>
  db.read((orm) => duePrepared(orm).all({ nodeId, now: now.getTime() }));

export const find = (db: Db, id: string): Promise<Upload | undefined> =>
  db.read((orm) => orm.select().from(uploads).where(eq(uploads.id, id)).get());
