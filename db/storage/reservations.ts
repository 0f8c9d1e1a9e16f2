import { sql } from "drizzle-orm";
import { type Db, prepared } from "../engine/open";
import { fold } from "../lib/fold";
import * as foldersEdit from "./folders-edit";
import * as idempotency from "../idempotency";
import * as capacity from "./nodes/capacity";
import { uploads } from "../schema/storage";
import { isPaused, maxPutOf, type StorageNode } from "./nodes/nodes";
import { findRepeated, type Repeatable, type Repeated } from "./repeated";
import { holdUntil, openTimeoutMs, type Upload } from "./uploads";

export type NewUpload = Pick<Upload, "filename" | "mimeType" | "size"> & {
  /** Normalised; "" is the root. */
  folderPath: string;
  apiKeyId?: string | undefined;
  managerId?: string | undefined;
  /** Bytes of each part but the last, for a multipart upload; otherwise it is a single PUT. */
  partSize?: number | undefined;
};

export type Reserved =
  | Repeated
  /** Every usable node responded, and none has enough space. */
  | { outcome: "full" }
  /**
   * There is enough space, but as far as is known not for this much in one PUT. Nodes in `unidentified` have not reported
   * what they are yet.
   */
  | { outcome: "parts-only"; unidentified: StorageNode[] }
  /** All nodes with enough space are paused; this one has the most. */
  | { outcome: "resting"; node: StorageNode }
  /** There is enough space, but on nodes that do not respond. */
  | { outcome: "unreachable" };

const { placeholder } = sql;
const guarded = { guarded: true } as const;

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
 * Reserves `size` bytes on the node with the most free space, in one transaction with the upload's row, its folders and
 * the idempotency key. That of a repeated request is returned again, unless it was aborted.
 *
 * @param tried nodes that already failed for this upload
 * @param mayUsePaused whether to consider paused nodes
 */
export const reserve = (
  db: Db,
  input: NewUpload,
  tried: string[],
  now: Date,
  { mayUsePaused = false, repeatable }: { mayUsePaused?: boolean; repeatable?: Repeatable | undefined } = {},
): Promise<Reserved> =>
  db.write(async (orm): Promise<Reserved> => {
    const { folderPath, ...file } = input;
    const { size, partSize = size } = file;
    await capacity.lockNodes(orm)(orm); // one reservation at a time, so keys need no lock of their own
    const before = repeatable && (await findRepeated(orm, repeatable, now));
    if (before) return before;
    const withRoom = await capacity.nodesWithSpace(orm, input, now);
    const fitting = withRoom.filter((candidate) => maxPutOf(candidate) >= Math.min(size, partSize));
    if (!fitting.length && withRoom.length && file.partSize === undefined)
      return { outcome: "parts-only", unidentified: withRoom.filter(({ server }) => server === null) };
    const [first, ...others] = fitting.filter(({ id }) => !tried.includes(id));
    if (!first) return { outcome: fitting.length ? "unreachable" : "full" };
    const node = [first, ...others].find((candidate) => mayUsePaused || !isPaused(candidate, now));
    if (!node) return { outcome: "resting", node: first };
    const id = Bun.randomUUIDv7();
    await capacity.adjustBytes(orm, node.id, { reserved: input.size });
    const upload = await inserted(orm).get({
      apiKeyId: null,
      managerId: null,
      partSize: null,
      ...file,
      id,
      folded: fold(file.filename),
      nodeId: node.id,
      folderId: await foldersEdit.ensure(orm, folderPath, now),
      objectKey: objectKeyOf(id),
      nextCheckAt: new Date(now.getTime() + openTimeoutMs),
      holdUntil: holdUntil(node, { createdAt: now, size: input.size, received: 0 }, now),
      createdAt: now,
    });
    if (repeatable) await idempotency.remember(orm, { ...repeatable, resultId: id, createdAt: now });
    return { outcome: "reserved", upload, node, isRepeated: false };
  }, guarded); // by the rows of the nodes

/** Contains nothing from the user, and is unique per upload, because some servers confuse uploads with the same key. */
const objectKeyOf = (id: string) => `u/${id.slice(-8)}/${id}`;
