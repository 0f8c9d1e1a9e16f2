import { and, eq, inArray, isNull, lte, notInArray, type SQL, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../engine/open";
import * as audit from "../audit";
import * as idempotency from "../idempotency";
import * as capacity from "./capacity";
import { isUnsettled, uploads } from "../schema/storage";
import { isSettled, settledStates, urlLifetimeSeconds } from "./rules";
import type { StorageNode } from "./nodes";

export type Upload = typeof uploads.$inferSelect;
const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const urlLifetimeMs = urlLifetimeSeconds * secondMs;
const minBytesPerMs = 5e6 / secondMs; // bytes a millisecond: what we wait for

/** How long a reservation may stay without an upload at the provider: opening one takes 10 seconds at most. */
export const openTimeoutMs = minuteMs;

/** When the client has had its chance: a URL's hour and time for the bytes, unless the provider drops it earlier. */
export function holdUntil(
  { staleUploadHours }: StorageNode,
  { createdAt, size, received }: Pick<Upload, "createdAt" | "size" | "received">,
  now: Date,
): Date {
  const wanted = now.getTime() + urlLifetimeMs + Math.max(15 * minuteMs, (size - received) / minBytesPerMs);
  return new Date(Math.min(wanted, createdAt.getTime() + staleUploadHours * 60 * minuteMs));
}

/** Who and what asked for it. */
export type UploadContext = {
  /** The manager who is to be known for it (D40). */
  by?: audit.ActorWithDetails;
  /** Tells a repeated request: see `reservations.askedBefore`. */
  repeatable?: Repeatable | undefined;
};

/** Hashes of an Idempotency-Key, with whoever sent it, and of what was asked under it. */
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

/** The provider opened the upload, and a URL goes out. False when the reservation was given up meanwhile. */
export const markOpen = (
  db: Db,
  id: string,
  providerUploadId: string,
  now: Date,
  context?: UploadContext,
): Promise<boolean> =>
  db.write((orm) => {
    const times = { urlExpiresAt: now.getTime() + urlLifetimeMs, nextCheckAt: now.getTime() + secondMs };
    const upload = nowOpen(orm).get({ id, providerUploadId, ...times });
    if (!upload || !context) return upload !== undefined;
    const { by, repeatable } = context;
    if (by) audit.record(orm, { ...by, action: "file.upload", targetId: id, target: upload.filename }, now);
    if (repeatable) idempotency.remember(orm, { ...repeatable, resultId: id, createdAt: now });
    return true;
  });

/**
 * The file will come in parts, not in one PUT: what is open at the provider is to be closed, and another upload opened.
 * False when it is not open any more, or comes in parts already.
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

/** URLs go out. The upload is held as long as they are good, and for its bytes. */
export const extendForUrls = (db: Db, upload: Upload, node: StorageNode, now: Date): Promise<boolean> =>
  change(db, upload.id, ["open"], {
    urlExpiresAt: new Date(now.getTime() + urlLifetimeMs),
    holdUntil: later(upload.holdUntil, holdUntil(node, upload, now)),
  });

/** So many bytes are there. Whoever sends in parts, and gets on, has time for the rest. Returns until when. */
export async function recordProgress(db: Db, upload: Upload, received: number, node: StorageNode, now: Date) {
  const hasProgress = upload.partSize !== null && received > upload.received;
  const until = hasProgress ? later(upload.holdUntil, holdUntil(node, { ...upload, received }, now)) : upload.holdUntil;
  if (received !== upload.received) await change(db, upload.id, ["open"], { received, holdUntil: until });
  return until;
}

const later = (a: Date, b: Date) => (a > b ? a : b);

/** All bytes arrived. False when the upload was given up. @param checksums that the client sent, when that is known */
export const startCompleting = (db: Db, id: string, checksums?: Record<string, string> | null): Promise<boolean> =>
  change(db, id, ["open", "completing"], { state: "completing", ...(checksums !== undefined && { checksums }) });

/**
 * Gives the upload up, and says why; the bytes stay taken until the provider has let go of it too. False when it is no
 * longer as the caller saw it: somebody else may be completing it.
 *
 * @param cancelled the manager who is to be known for it (D40)
 */
export const startAborting = (
  db: Db,
  { id, state }: Pick<Upload, "id" | "state">,
  outcome: string,
  nextCheckAt: Date,
  cancelled?: { by: audit.ActorWithDetails; now: Date },
): Promise<boolean> =>
  db.write((orm) => {
    if (isSettled(state)) return false;
    const upload = changed(orm, id, [state], { state: "aborting", outcome, nextCheckAt });
    const event = { action: "file.upload-cancel" as const, targetId: id, target: upload?.filename };
    if (upload && cancelled) audit.record(orm, { ...cancelled.by, ...event }, cancelled.now);
    return upload !== undefined;
  });

/** Looks at it again at `nextCheckAt`. */
export const postpone = (db: Db, id: string, nextCheckAt: Date): Promise<boolean> =>
  change(db, id, ["pending", "open", "completing", "aborting"], {
    nextCheckAt,
    checks: sql`checks + 1`,
  });

type Change = Partial<Omit<typeof uploads.$inferInsert, "checks">> & { checks?: ReturnType<typeof sql> };

const change = (db: Db, id: string, from: Upload["state"][], set: Change, when?: SQL): Promise<boolean> =>
  db.write((orm) => changed(orm, id, from, set, when) !== undefined);

/** The upload as it is now; undefined when it was in another state. */
function changed(orm: Orm, id: string, from: Upload["state"][], set: Change, when?: SQL) {
  const inState = and(eq(uploads.id, id), inArray(uploads.state, from), when);
  return orm.update(uploads).set(set).where(inState).returning({ filename: uploads.filename }).get();
}

/**
 * Ends the upload and moves its bytes, exactly once however many ask for it. False when it had ended before, or is to
 * end otherwise: only what is being completed becomes complete.
 */
export const settle = (
  db: Db,
  id: string,
  state: (typeof settledStates)[number],
  now: Date,
  outcome?: string,
  etag?: string,
) =>
  db.write((orm): boolean => {
    const mayEnd =
      state === "completed" ? eq(uploads.state, "completing") : notInArray(uploads.state, [...settledStates]);
    const upload = orm
      .update(uploads)
      .set({
        state,
        ...(outcome !== undefined && { outcome }),
        ...(etag !== undefined && { etag }),
        ...(state === "completed" && { completedAt: now, received: uploads.size }),
      })
      .where(and(eq(uploads.id, id), mayEnd))
      .returning()
      .get();
    if (!upload) return false;
    const { nodeId, size } = upload;
    capacity.adjustBytes(orm, nodeId, { reserved: -size, used: state === "completed" ? size : 0 });
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

/** The node's uploads that are to be looked at now, the longest overdue first; 500 at most. */
export const due = (db: Db, nodeId: string, now: Date): Promise<Upload[]> =>
  db.read((orm) => duePrepared(orm).all({ nodeId, now: now.getTime() }));

export const find = (db: Db, id: string): Promise<Upload | undefined> =>
  db.read((orm) => orm.select().from(uploads).where(eq(uploads.id, id)).get());
