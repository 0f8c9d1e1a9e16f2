import { and, desc, eq, gte, inArray, lt, lte, notInArray, or, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from ".";
import * as folders from "./folders";
import { folders as folderTable, storageNodes, uploads } from "./schema";
import { isResting, type StorageNode } from "./storage-nodes";

export type Upload = typeof uploads.$inferSelect;
export type NewUpload = Pick<Upload, "filename" | "mimeType" | "size"> & {
  /** Normalised; "" is the root. */
  folderPath: string;
  apiKeyId?: string | undefined;
};

const second = 1_000;
const minute = 60 * second;
const urlLifetime = 60 * minute;
const slowest = 5e6 / second; // bytes a millisecond: what we wait for
const settled = ["completed", "aborted"] as const;

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
    const fitting = withRoomFor(orm, input.size);
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
        nodeId: node.id,
        folderId: folders.ensure(orm, folderPath, now),
        objectKey: objectKeyOf(id),
        nextCheckAt: new Date(now.getTime() + patience),
        holdUntil: holdUntil(node, input.size, now),
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
        gte(storageNodes.maxPutBytes, sql.placeholder("size")),
        gte(free, sql.placeholder("size")),
      ),
    )
    .orderBy(desc(free), storageNodes.id)
    .prepare(),
);
const withRoomFor = (orm: Orm, size: number): StorageNode[] => fitting(orm).all({ size });

/** Nothing of it comes from the user, and no two uploads share it: some servers confuse uploads of one key. */
const objectKeyOf = (id: string) => `u/${id.slice(-8)}/${id}`;

/** When the client has had its chance: the URL's hour and time for the bytes, unless the provider drops it earlier. */
const holdUntil = ({ staleUploadHours }: StorageNode, size: number, now: Date) => {
  const wanted = urlLifetime + Math.max(15 * minute, size / slowest);
  return new Date(now.getTime() + Math.min(wanted, staleUploadHours * 60 * minute));
};

function move(orm: Orm, nodeId: string, { reserved = 0, used = 0 }): void {
  orm
    .update(storageNodes)
    .set({ reservedBytes: sql`reserved_bytes + ${reserved}`, usedBytes: sql`used_bytes + ${used}` })
    .where(eq(storageNodes.id, nodeId))
    .run();
}

/** The provider opened the upload. False when the reservation was given up meanwhile. */
export const opened = (db: Db, id: string, providerUploadId: string, now: Date): Promise<boolean> =>
  change(db, id, ["pending"], {
    state: "open",
    providerUploadId,
    nextCheckAt: new Date(now.getTime() + second),
  });

/** All bytes arrived. False when the upload is not open any more. */
export const startCompleting = (db: Db, id: string): Promise<boolean> =>
  change(db, id, ["open"], { state: "completing" });

/** Gives the upload up, and says why; the bytes stay taken until the provider has let go of it too. */
export const startAborting = (db: Db, id: string, outcome: string, nextCheckAt: Date): Promise<boolean> =>
  change(db, id, ["pending", "open", "completing"], { state: "aborting", outcome, nextCheckAt });

/** Looks at it again at `nextCheckAt`. */
export const postpone = (db: Db, id: string, nextCheckAt: Date): Promise<boolean> =>
  change(db, id, ["pending", "open", "completing", "aborting"], {
    nextCheckAt,
    checks: sql`checks + 1`,
  });

type Change = Partial<Omit<typeof uploads.$inferInsert, "checks">> & { checks?: ReturnType<typeof sql> };

const change = (db: Db, id: string, from: Upload["state"][], set: Change): Promise<boolean> =>
  db.write((orm) => {
    const inState = and(eq(uploads.id, id), inArray(uploads.state, from));
    return orm.update(uploads).set(set).where(inState).returning({ id: uploads.id }).all().length > 0;
  });

/** Ends the upload and moves its bytes, exactly once however many ask for it. False when it had ended before. */
export const settle = (db: Db, id: string, state: (typeof settled)[number], now: Date, outcome?: string) =>
  db.write((orm): boolean => {
    const upload = orm
      .update(uploads)
      .set({
        state,
        ...(outcome !== undefined && { outcome }),
        ...(state === "completed" && { completedAt: now }),
      })
      .where(and(eq(uploads.id, id), notInArray(uploads.state, [...settled])))
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
