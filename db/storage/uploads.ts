import { and, eq, inArray, isNull, lte, notInArray, type SQL, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../engine/open";
import * as audit from "../audit";
import * as idempotency from "../idempotency";
import * as capacity from "./nodes/capacity";
import { isUnsettled, uploads } from "../schema/storage";
import { isSettled, settledStates, urlLifetimeSeconds } from "./rules";
import { emit } from "../webhooks/events";
import type { StorageNode } from "./nodes/nodes";

export type Upload = typeof uploads.$inferSelect;
const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const urlLifetimeMs = urlLifetimeSeconds * secondMs;
const minBytesPerMs = 5e6 / secondMs; // the slowest transfer we wait for

/** How long a reservation may have no upload at the provider: opening one takes at most 10 seconds. */
export const openTimeoutMs = minuteMs;

/** Returns when the reservation expires: a URL's lifetime plus time for the bytes, within the provider's limit. */
export function holdUntil(
  { staleUploadHours }: StorageNode,
  { createdAt, size, received }: Pick<Upload, "createdAt" | "size" | "received">,
  now: Date,
): Date {
  const wanted = now.getTime() + urlLifetimeMs + Math.max(15 * minuteMs, (size - received) / minBytesPerMs);
  return new Date(Math.min(wanted, createdAt.getTime() + staleUploadHours * 60 * minuteMs));
}

/** The circumstances of an upload request. */
export type UploadContext = {
  /** The manager named in the audit log (D40). */
  by?: audit.ActorWithDetails;
  /** Identifies a repeated request: see `reservations.findRepeated`. */
  repeatable?: Repeatable | undefined;
};

/** Hashes of an Idempotency-Key with its sender, and of the request. */
export type Repeatable = { key: string; fingerprint: string };

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

/** Records that the provider opened the upload. Returns false if the reservation was aborted in the meantime. */
export const markOpen = (
  db: Db,
  id: string,
  providerUploadId: string,
  now: Date,
  context?: UploadContext,
): Promise<boolean> =>
  db.write(async (orm) => {
    const times = { urlExpiresAt: now.getTime() + urlLifetimeMs, nextCheckAt: now.getTime() + secondMs };
    const upload = await nowOpen(orm).get({ id, providerUploadId, ...times });
    if (!upload || !context) return upload !== undefined;
    const { by, repeatable } = context;
    if (by) await audit.record(orm, { ...by, action: "file.upload", targetId: id, target: upload.filename }, now);
    if (repeatable) await idempotency.remember(orm, { ...repeatable, resultId: id, createdAt: now });
    return true;
  });

/**
 * Converts a single PUT into a multipart upload: the provider's upload must be closed, and another opened. Returns
 * false if it is no longer open, or already multipart.
 */
export const startReopening = (db: Db, id: string, partSize: number, now: Date): Promise<boolean> =>
  change(
    db,
    id,
    ["open"],
    {
      state: "pending",
      partSize,
      providerUploadId: null,
      received: 0,
      nextCheckAt: new Date(now.getTime() + openTimeoutMs),
    },
    isNull(uploads.partSize),
  );

/** Extends the reservation by the lifetime of the URLs now issued, and time for the bytes. */
export const extendForUrls = (db: Db, upload: Upload, node: StorageNode, now: Date): Promise<boolean> =>
  change(db, upload.id, ["open"], {
    urlExpiresAt: new Date(now.getTime() + urlLifetimeMs),
    holdUntil: later(upload.holdUntil, holdUntil(node, upload, now)),
  });

/** Records the bytes received. Progress of a multipart upload extends the reservation. Returns the new expiry. */
export async function recordProgress(db: Db, upload: Upload, received: number, node: StorageNode, now: Date) {
  const hasProgress = upload.partSize !== null && received > upload.received;
  const until = hasProgress ? later(upload.holdUntil, holdUntil(node, { ...upload, received }, now)) : upload.holdUntil;
  if (received !== upload.received) await change(db, upload.id, ["open"], { received, holdUntil: until });
  return until;
}

const later = (a: Date, b: Date) => (a > b ? a : b);

/** Records that all bytes arrived. False if the upload was aborted. @param checksums sent by the client, if known */
export const startCompleting = (db: Db, id: string, checksums?: Record<string, string> | null): Promise<boolean> =>
  change(db, id, ["open", "completing"], { state: "completing", ...(checksums !== undefined && { checksums }) });

/**
 * Starts aborting the upload. Its bytes stay reserved until the provider has discarded it too. Returns false if its
 * state has changed since the caller read it: it may be completing.
 *
 * @param cancelled the manager named in the audit log (D40)
 */
export const startAborting = (
  db: Db,
  { id, state }: Pick<Upload, "id" | "state">,
  outcome: string,
  nextCheckAt: Date,
  cancelled?: { by: audit.ActorWithDetails; now: Date },
): Promise<boolean> =>
  db.write(async (orm) => {
    if (isSettled(state)) return false;
    const upload = await changed(orm, id, [state], { state: "aborting", outcome, nextCheckAt });
    const event = { action: "file.upload-cancel" as const, targetId: id, target: upload?.filename };
    if (upload && cancelled) await audit.record(orm, { ...cancelled.by, ...event }, cancelled.now);
    return upload !== undefined;
  });

/** Schedules the next check. */
export const postpone = (db: Db, id: string, nextCheckAt: Date): Promise<boolean> =>
  change(db, id, ["pending", "open", "completing", "aborting"], {
    nextCheckAt,
    checks: sql`checks + 1`,
  });

type Change = Partial<Omit<typeof uploads.$inferInsert, "checks">> & { checks?: ReturnType<typeof sql> };

const change = (db: Db, id: string, from: Upload["state"][], set: Change, when?: SQL): Promise<boolean> =>
  db.write(async (orm) => (await changed(orm, id, from, set, when)) !== undefined, { guarded: true });

/** Returns the updated upload; undefined if it was in a different state. */
function changed(orm: Orm, id: string, from: Upload["state"][], set: Change, when?: SQL) {
  const inState = and(eq(uploads.id, id), inArray(uploads.state, from), when);
  return orm.update(uploads).set(set).where(inState).returning({ filename: uploads.filename }).get();
}

/**
 * Ends the upload and moves its bytes, exactly once. Returns false if it has ended, or is ending differently: only an
 * upload in `completing` can be completed.
 */
export const settle = (
  db: Db,
  id: string,
  state: (typeof settledStates)[number],
  now: Date,
  outcome?: string,
  etag?: string,
) =>
  db.write(async (orm): Promise<boolean> => {
    const mayEnd =
      state === "completed" ? eq(uploads.state, "completing") : notInArray(uploads.state, [...settledStates]);
    const upload = await orm
      .update(uploads)
      .set({ state, outcome, etag, ...(state === "completed" && { completedAt: now, received: uploads.size }) })
      .where(and(eq(uploads.id, id), mayEnd))
      .returning()
      .get();
    if (!upload) return false;
    const { nodeId, size } = upload;
    await capacity.adjustBytes(orm, nodeId, { reserved: -size, used: state === "completed" ? size : 0 });
    if (state === "completed") await emit(orm, "upload.completed", { id, size }, now);
    return true;
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
