import { and, eq, notInArray, sql } from "drizzle-orm";
import { type Db, prepared } from "../engine/open";
import { fold } from "../lib/fold";
import * as folders from "./folders";
import * as idempotency from "../idempotency";
import * as room from "./capacity";
import { uploads } from "../schema/storage";
import { isResting, type StorageNode } from "./nodes";
import { holdUntil, patience, type Upload } from "./uploads";

export type NewUpload = Pick<Upload, "filename" | "mimeType" | "size"> & {
  /** Normalised; "" is the root. */
  folderPath: string;
  apiKeyId?: string | undefined;
  managerId?: string | undefined;
  /** Bytes of each part but the last, when the file comes in parts; otherwise one PUT carries it all. */
  partSize?: number | undefined;
};

export type Reserved =
  | { outcome: "reserved"; upload: Upload; node: StorageNode }
  /** Every node that may be used answered, and none has room. */
  | { outcome: "full" }
  /** There would be room, on nodes that do not answer. */
  | { outcome: "unreachable" };

const { placeholder } = sql;

const inserted = prepared((orm) =>
  orm
    .insert(uploads)
    .values({
      id: placeholder("id"),
      nodeId: placeholder("nodeId"),
      folderId: placeholder("folderId"),
      apiKeyId: placeholder("apiKeyId"),
      managerId: placeholder("managerId"),
      objectKey: placeholder("objectKey"),
      filename: placeholder("filename"),
      folded: placeholder("folded"),
      mimeType: placeholder("mimeType"),
      size: placeholder("size"),
      partSize: placeholder("partSize"),
      nextCheckAt: placeholder("nextCheckAt"),
      holdUntil: placeholder("holdUntil"),
      createdAt: placeholder("createdAt"),
    })
    .returning()
    .prepare(),
);

/**
 * Takes `size` bytes of the node with the most room, in one transaction with the upload's row and its folders.
 *
 * @param tried nodes that failed for this upload already
 */
export const reserve = (db: Db, input: NewUpload, tried: string[], now: Date): Promise<Reserved> =>
  db.write((orm): Reserved => {
    const fitting = room.nodesFor(orm, input);
    const node = fitting.find((candidate) => !tried.includes(candidate.id) && !isResting(candidate, now));
    if (!node) return { outcome: fitting.length ? "unreachable" : "full" };
    const { folderPath, ...file } = input;
    const id = Bun.randomUUIDv7();
    room.move(orm, node.id, { reserved: input.size });
    const upload = inserted(orm).get({
      apiKeyId: null,
      managerId: null,
      partSize: null,
      ...file,
      id,
      folded: fold(file.filename),
      nodeId: node.id,
      folderId: folders.ensure(orm, folderPath, now),
      objectKey: objectKeyOf(id),
      nextCheckAt: new Date(now.getTime() + patience),
      holdUntil: holdUntil(node, { createdAt: now, size: input.size, received: 0 }, now),
      createdAt: now,
    });
    return { outcome: "reserved", upload, node };
  });

/** Nothing of it comes from the user, and no two uploads share it: some servers confuse uploads of one key. */
const objectKeyOf = (id: string) => `u/${id.slice(-8)}/${id}`;

/** The upload that was opened under this key within a day, unless it was given up: its answer got lost on the way. */
export const askedBefore = (db: Db, idempotencyKey: string, now: Date): Promise<Upload | undefined> =>
  db.read((orm) => {
    const id = idempotency.recall(orm, idempotencyKey, now)?.resultId ?? "";
    const isKept = notInArray(uploads.state, ["aborting", "aborted"]);
    return orm
      .select()
      .from(uploads)
      .where(and(eq(uploads.id, id), isKept))
      .get();
  });
