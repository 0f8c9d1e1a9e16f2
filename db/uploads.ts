import { and, desc, eq, gte, inArray, isNull, lt, lte, notInArray, or, type SQL, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from ".";
import * as audit from "./audit";
import { fold } from "./fold";
import * as folders from "./folders";
import * as idempotency from "./idempotency";
import { folders as folderTable, storageNodes, uploads } from "./schema";
import { isResting, type StorageNode } from "./storage-nodes";

export type Upload = typeof uploads.$inferSelect;
export type NewUpload = Pick<Upload, "filename" | "mimeType" | "size"> & {
  /** Normalised; "" is the root. */
  folderPath: string;
  apiKeyId?: string | undefined;
  managerId?: string | undefined;
  /** Bytes of each part but the last, when the file comes in parts; otherwise one PUT carries it all. */
  partSize?: number | undefined;
};

const second = 1_000;
const minute = 60 * second;
const urlLifetime = 60 * minute;
const slowest = 5e6 / second; // bytes a millisecond: what we wait for
const settled = ["completed", "aborted"] as const;
const isSettled = (state: Upload["state"]) => state === "completed" || state === "aborted";

/** How long a reservation may stay without an upload at the provider: opening one takes 10 seconds at most. */
export const patience = minute;

export type Reserved =
  | { outcome: "reserved"; upload: Upload; node: StorageNode }
  /** Every node that may be used answered, and none has room. */
  | { outcome: "full" }
  /** There would be room, on nodes that do not answer. */
  | { outcome: "unreachable" };

/**
 * Takes `size` bytes of the node with the most room, in one transaction with the upload's row and its folders.
 *
 * @param tried nodes that failed for this upload already
 */
export const reserve = (db: Db, input: NewUpload, tried: string[], now: Date): Promise<Reserved> =>
  db.write((orm): Reserved => {
    const fitting = withRoomFor(orm, input);
    const node = fitting.find((candidate) => !tried.includes(candidate.id) && !isResting(candidate, now));
    if (!node) return { outcome: fitting.length ? "unreachable" : "full" };
    const { folderPath, ...file } = input;
    const id = Bun.randomUUIDv7();
    move(orm, node.id, { reserved: input.size });
    const upload = orm
      .insert(uploads)
      .values({
        ...file,
        id,
        folded: fold(file.filename),
        nodeId: node.id,
        folderId: folders.ensure(orm, folderPath, now),
        objectKey: objectKeyOf(id),
        nextCheckAt: new Date(now.getTime() + patience),
        holdUntil: holdUntil(node, { createdAt: now, size: input.size, received: 0 }, now),
        createdAt: now,
      })
      .returning()
      .get();
    return { outcome: "reserved", upload, node };
  });

const free = sql`${storageNodes.capacityBytes} - ${storageNodes.usedBytes} - ${storageNodes.reservedBytes}`;

const fitting = prepared((orm) =>
  orm
    .select()
    .from(storageNodes)
    .where(
      and(
        eq(storageNodes.state, "active"),
        gte(storageNodes.maxPutBytes, sql.placeholder("put")),
        gte(free, sql.placeholder("size")),
      ),
    )
    .orderBy(desc(free), storageNodes.id)
    .prepare(),
);
const withRoomFor = (orm: Orm, { size, partSize = size }: NewUpload): StorageNode[] =>
  fitting(orm).all({ size, put: Math.min(size, partSize) });

/** Nothing of it comes from the user, and no two uploads share it: some servers confuse uploads of one key. */
const objectKeyOf = (id: string) => `u/${id.slice(-8)}/${id}`;

/** When the client has had its chance: a URL's hour and time for the bytes, unless the provider drops it earlier. */
function holdUntil(
  { staleUploadHours }: StorageNode,
  { createdAt, size, received }: Pick<Upload, "createdAt" | "size" | "received">,
  now: Date,
): Date {
  const wanted = now.getTime() + urlLifetime + Math.max(15 * minute, (size - received) / slowest);
  return new Date(Math.min(wanted, createdAt.getTime() + staleUploadHours * 60 * minute));
}

function move(orm: Orm, nodeId: string, { reserved = 0, used = 0 }): void {
  orm
    .update(storageNodes)
    .set({ reservedBytes: sql`reserved_bytes + ${reserved}`, usedBytes: sql`used_bytes + ${used}` })
    .where(eq(storageNodes.id, nodeId))
    .run();
}

/** The manager who is to be known for it (D40), and the hash of what tells a repeated request (see `reservedBefore`). */
export type Asked = { by: audit.By; idempotencyKey?: string | undefined };

/** The provider opened the upload, and a URL goes out. False when the reservation was given up meanwhile. */
export const opened = (db: Db, id: string, providerUploadId: string, now: Date, asked?: Asked): Promise<boolean> =>
  db.write((orm) => {
    const upload = changed(orm, id, ["pending"], {
      state: "open",
      providerUploadId,
      urlExpiresAt: new Date(now.getTime() + urlLifetime),
      nextCheckAt: new Date(now.getTime() + second),
    });
    if (!upload || !asked) return upload !== undefined;
    const { by, idempotencyKey: key } = asked;
    audit.record(orm, { ...by, action: "file.upload", targetId: id, target: upload.filename }, now);
    if (key) idempotency.remember(orm, { key, fingerprint: "", resultId: id, createdAt: now });
    return true;
  });

/** The upload that was opened under this key within a day, unless it was given up: its answer got lost on the way. */
export const reservedBefore = (db: Db, idempotencyKey: string, now: Date): Promise<Upload | undefined> =>
  db.read((orm) => {
    const id = idempotency.recall(orm, idempotencyKey, now)?.resultId ?? "";
    const isKept = notInArray(uploads.state, ["aborting", "aborted"]);
    return orm
      .select()
      .from(uploads)
      .where(and(eq(uploads.id, id), isKept))
      .get();
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
      nextCheckAt: new Date(now.getTime() + patience),
    },
    isNull(uploads.partSize),
  );

/** URLs go out. The upload is held as long as they are good, and for its bytes. */
export const urlsSigned = (db: Db, upload: Upload, node: StorageNode, now: Date): Promise<boolean> =>
  change(db, upload.id, ["open"], {
    urlExpiresAt: new Date(now.getTime() + urlLifetime),
    holdUntil: later(upload.holdUntil, holdUntil(node, upload, now)),
  });

/** So many bytes are there. Whoever sends in parts, and gets on, has time for the rest. Returns until when. */
export async function progressed(db: Db, upload: Upload, received: number, node: StorageNode, now: Date) {
  const getsOn = upload.partSize !== null && received > upload.received;
  const until = getsOn ? later(upload.holdUntil, holdUntil(node, { ...upload, received }, now)) : upload.holdUntil;
  if (received !== upload.received) await change(db, upload.id, ["open"], { received, holdUntil: until });
  return until;
}

const later = (a: Date, b: Date) => (a > b ? a : b);

/** All bytes arrived. False when the upload was given up. */
export const startCompleting = (db: Db, id: string): Promise<boolean> =>
  change(db, id, ["open", "completing"], { state: "completing" });

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
  cancelled?: { by: audit.By; now: Date },
): Promise<boolean> =>
  db.write((orm) => {
    if (isSettled(state)) return false;
    const upload = changed(orm, id, [state], { state: "aborting", outcome, nextCheckAt });
    const event = { action: "file.upload-cancel", targetId: id, target: upload?.filename };
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
export const settle = (db: Db, id: string, state: (typeof settled)[number], now: Date, outcome?: string) =>
  db.write((orm): boolean => {
    const mayEnd = state === "completed" ? eq(uploads.state, "completing") : notInArray(uploads.state, [...settled]);
    const upload = orm
      .update(uploads)
      .set({
        state,
        ...(outcome !== undefined && { outcome }),
        ...(state === "completed" && { completedAt: now, received: uploads.size }),
      })
      .where(and(eq(uploads.id, id), mayEnd))
      .returning()
      .get();
    if (!upload) return false;
    const { nodeId, size } = upload;
    move(orm, nodeId, { reserved: -size, used: state === "completed" ? size : 0 });
    return true;
  });

const duePrepared = prepared((orm) =>
  orm
    .select()
    .from(uploads)
    .where(
      and(
        eq(uploads.nodeId, sql.placeholder("nodeId")),
        sql`${uploads.state} not in ('completed', 'aborted')`, // in the words of the index
        lte(uploads.nextCheckAt, sql.placeholder("now")),
      ),
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

type Listing = {
  states?: Upload["state"][];
  nodeId?: string;
  before?: Pick<Upload, "createdAt" | "id">;
  limit?: number;
};

/** Uploads with the names of their node and folder, newest first. */
export const list = (db: Db, { states, nodeId, before, limit = 50 }: Listing = {}) =>
  db.read((orm) =>
    orm
      .select({ upload: uploads, node: storageNodes.name, folder: folderTable.path })
      .from(uploads)
      .innerJoin(storageNodes, eq(storageNodes.id, uploads.nodeId))
      .innerJoin(folderTable, eq(folderTable.id, uploads.folderId))
      .where(
        and(
          states && inArray(uploads.state, states),
          nodeId ? eq(uploads.nodeId, nodeId) : undefined,
          before &&
            or(
              lt(uploads.createdAt, before.createdAt),
              and(eq(uploads.createdAt, before.createdAt), lt(uploads.id, before.id)),
            ),
        ),
      )
      .orderBy(desc(uploads.createdAt), desc(uploads.id))
      .limit(limit)
      .all(),
  );
