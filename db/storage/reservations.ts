import { sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../engine/open";
import { fold } from "../lib/fold";
import * as foldersEdit from "./folders";
import * as idempotency from "../idempotency";
import * as capacity from "./nodes/capacity";
import { uploads } from "../schema/storage";
import type { Metadata } from "./files";
import { isPictureType } from "./pictures";
import { isPaused, keepsInterrupted, maxPutOf, type StorageNode } from "./nodes/nodes";
import { findRepeated, type Repeatable, type Repeated } from "./repeated";
import { holdUntil, openTimeoutMs, type Upload } from "./uploads";

export type NewUpload = Pick<Upload, "filename" | "mimeType" | "size"> & {
  /** Normalised; "" is the root. */
  folderPath: string;
  apiKeyId?: string | undefined;
  managerId?: string | undefined;
  metadata?: Metadata | undefined;
  /** The MD5 of all bytes in Base64, which the client sends with its single PUT. */
  contentMd5?: string | undefined;
  /** Bytes of each part but the last, for a multipart upload; otherwise it is a single PUT. */
  partSize?: number | undefined;
};

export type Reserved =
  | Repeated
  /** Every usable node responded, and none has enough space. */
  | { outcome: "full" }
  /**
   * There is enough space, but as far as is known not for this much in one PUT. Nodes in `unidentified` have not reported
   * what they are yet. `isForWantOfMd5`: one PUT would do with an MD5, because these nodes keep interrupted ones.
   */
  | { outcome: "parts-only"; unidentified: StorageNode[]; isForWantOfMd5: boolean }
  /** All nodes with enough space are paused; this one has the most. */
  | { outcome: "paused"; node: StorageNode }
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
      measureAt: sql`${placeholder("measureAt")}`,
      filename: placeholder("filename"),
      folded: placeholder("folded"),
      mimeType: placeholder("mimeType"),
      size: placeholder("size"),
      partSize: placeholder("partSize"),
      metadata: sql`${placeholder("metadata")}`,
      checksums: sql`${placeholder("checksums")}`,
      nextCheckAt: placeholder("nextCheckAt"),
      holdUntil: placeholder("holdUntil"),
      createdAt: placeholder("createdAt"),
    })
    .returning()
    .prepare(),
);

type Choice = {
  /** Nodes that already failed for this upload. */
  tried?: string[];
  /** Whether to consider paused nodes. */
  mayUsePaused?: boolean;
  repeatable?: Repeatable | undefined;
};

/**
 * Reserves `size` bytes on the node with the most free space, in one transaction with the upload's row, its folders and
 * the idempotency key. That of a repeated request is returned again, unless it was aborted.
 */
export const reserve = (
  db: Db,
  input: NewUpload,
  { tried = [], mayUsePaused = false, repeatable }: Choice,
  now: Date,
): Promise<Reserved> =>
  db.write(async (orm): Promise<Reserved> => {
    const { folderPath, contentMd5, metadata, ...file } = input;
    await capacity.lockNodes(orm)(orm); // one reservation at a time, so keys need no lock of their own
    const before = repeatable && (await findRepeated(orm, repeatable, now));
    if (before) return before;
    const { withSpace, accepting, fitting } = await candidates(orm, input, now);
    if (!fitting.length && withSpace.length && file.partSize === undefined) {
      const unidentified = withSpace.filter(({ server }) => server === null);
      return { outcome: "parts-only", unidentified, isForWantOfMd5: accepting.length > 0 };
    }
    const [first, ...others] = fitting.filter(({ id }) => !tried.includes(id));
    if (!first) return { outcome: fitting.length ? "unreachable" : "full" };
    const node = [first, ...others].find((candidate) => mayUsePaused || !isPaused(candidate, now));
    if (!node) return { outcome: "paused", node: first };
    const id = Bun.randomUUIDv7();
    await capacity.adjustBytes(orm, node.id, { reserved: input.size });
    const upload = await inserted(orm).get({
      apiKeyId: null,
      managerId: null,
      partSize: null,
      metadata: metadata && Object.keys(metadata).length ? JSON.stringify(metadata) : null,
      checksums: contentMd5 === undefined ? null : JSON.stringify({ md5: contentMd5 }),
      ...file,
      id,
      folded: fold(file.filename),
      nodeId: node.id,
      folderId: await foldersEdit.ensure(orm, folderPath, now),
      objectKey: objectKeyOf(id),
      measureAt: isPictureType(file.mimeType) ? now.getTime() : null,
      nextCheckAt: new Date(now.getTime() + openTimeoutMs),
      holdUntil: holdUntil(node, { createdAt: now, size: input.size, received: 0 }, now),
      createdAt: now,
    });
    if (repeatable) await idempotency.remember(orm, { ...repeatable, resultId: id, createdAt: now });
    return { outcome: "reserved", upload, node, isRepeated: false };
  }, guarded); // by the rows of the nodes

/** Returns the nodes with enough space; those of them that accept the upload by its size; and in every respect. */
async function candidates(orm: Orm, input: NewUpload, now: Date) {
  const { contentMd5, size, partSize } = input;
  const withSpace = await capacity.nodesWithSpace(orm, input, now);
  const accepting = withSpace.filter((node) => maxPutOf(node) >= Math.min(size, partSize ?? size));
  const isVerified = contentMd5 !== undefined || partSize !== undefined;
  return {
    withSpace,
    accepting,
    fitting: isVerified ? accepting : accepting.filter((node) => !keepsInterrupted(node)),
  };
}

/** Whether a node that is not paused could take the upload, besides these. */
export const hasNode = (db: Db, input: NewUpload, besides: string[], now: Date): Promise<boolean> =>
  db.read(async (orm) =>
    (await candidates(orm, input, now)).fitting.some((node) => !besides.includes(node.id) && !isPaused(node, now)),
  );

/** Contains nothing from the user, and is unique per upload, because some servers confuse uploads with the same key. */
const objectKeyOf = (id: string) => `u/${id.slice(-8)}/${id}`;
