import { eq } from "drizzle-orm";
import type { Orm } from "../engine/open";
import * as idempotency from "../idempotency";
import { storageNodes, uploads } from "../schema/storage";
import type { StorageNode } from "./nodes/nodes";
import type { Upload } from "./uploads";

/** Hashes of an Idempotency-Key with its sender, and of the request. */
export type Repeatable = { key: string; fingerprint: string };

/** The outcome of an earlier request with the same idempotency key. */
export type Repeated =
  /** The space is reserved, but the upload is not open: the request is still running, or its process has died. */
  | { outcome: "reserved"; upload: Upload; node: StorageNode; isRepeated: boolean }
  /** The upload is open. */
  | { outcome: "repeated"; upload: Upload }
  /** The key was used for a different request. */
  | { outcome: "conflict" };

/**
 * Returns what was reserved with this idempotency key within a day, unless it was aborted: its response was lost. If it
 * never opened, nothing was granted, and the key is free.
 */
export async function findRepeated(
  orm: Orm,
  { key, fingerprint }: Repeatable,
  now: Date,
): Promise<Repeated | undefined> {
  const before = await idempotency.recall(orm, key, now);
  if (!before) return undefined;
  const reserved = await orm
    .select({ upload: uploads, node: storageNodes })
    .from(uploads)
    .innerJoin(storageNodes, eq(storageNodes.id, uploads.nodeId))
    .where(eq(uploads.id, before.resultId))
    .get();
  const isAborted = reserved?.upload.state === "aborting" || reserved?.upload.state === "aborted";
  if (isAborted && reserved.upload.urlExpiresAt === null) return undefined;
  if (before.fingerprint !== fingerprint) return { outcome: "conflict" };
  if (!reserved || isAborted) return undefined;
  const { state, urlExpiresAt } = reserved.upload;
  const isOpened = state !== "pending" || urlExpiresAt !== null; // or it is being converted to multipart
  return isOpened
    ? { outcome: "repeated", upload: reserved.upload }
    : { outcome: "reserved", isRepeated: true, ...reserved };
}
