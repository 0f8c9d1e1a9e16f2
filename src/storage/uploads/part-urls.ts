import type { Db } from "../../../db/engine/open";
import type { StorageNode } from "../../../db/storage/nodes/nodes";
import * as uploads from "../../../db/storage/uploads";
import { again, type Open, type Poller } from "./poller";
import type { CallNode } from "../nodes/access";
import type { CapacityMonitor } from "../nodes/capacity";
import { isWhole, missingParts, partCount, sizeOfPart } from "./plan";
import type { S3 } from "../s3/s3";
import type { At } from "./checkpoints";
import { urlLifetimeSeconds } from "../../../db/storage/rules";

type Upload = uploads.Upload;
export type Options = {
  db: Db;
  now: () => Date;
  callNode: CallNode;
  at: At;
  poller: Poller;
  /** The node with its keys, to sign URLs; it is not called. */
  reach: (node: StorageNode) => Promise<S3>;
  partSizeFor: (size: number) => number;
  /** Verifies whether the node accepts this size. */
  doubt: CapacityMonitor["doubt"];
};

export type PartUrl = { part: number; size: number; url: string };
type Signed = { outcome: "signed"; partSize: number; partCount: number; parts: PartUrl[]; expiresIn: number };
/** The upload accepts no more bytes: it is complete or aborted. */
export type Closed = { outcome: "closed"; state: Upload["state"] };

export const closed = ({ state }: Upload): Closed => ({ outcome: "closed", state });

/** Signs URLs for missing parts, and converts a single PUT to a multipart upload for that purpose. */
export class PartSigner {
  constructor(private readonly deps: Options) {}

  async sign(open: Open, isWanted: (part: number) => boolean, max: number): Promise<Signed | Closed | typeof again> {
    const { db, now, callNode, poller, reach } = this.deps;
    if (await this.convert(open)) return again;
    const { upload } = open;
    const { objectKey, providerUploadId, partSize, size } = upload;
    if (upload.state !== "open" || !providerUploadId) return closed(upload);
    const s3 = await reach(open.node);
    const listed = () => callNode(open.node, (node) => node.listParts(objectKey, providerUploadId)); // another process has converted it
    const arrived = poller.partsOf(upload) ?? (await listed()) ?? [];
    const missing = missingParts(upload, arrived).filter(isWanted).slice(0, max);
    const parts = missing.map((part) => ({ part, size: sizeOfPart(upload, part) }));
    if (!(await uploads.extendForUrls(db, upload, open.node, now()))) return again;
    return {
      outcome: "signed",
      partSize: partSize ?? size,
      partCount: partCount(upload),
      parts: parts.map((part) => ({ ...part, url: s3.partUrl(objectKey, providerUploadId, part) })),
      expiresIn: urlLifetimeSeconds,
    };
  }

  /**
   * Converts a single PUT that has not arrived yet, or repeats what a crash, a failing node or another process has not
   * finished. Returns false if there was nothing to do; otherwise the upload has changed.
   */
  private async convert({ upload, node }: Open): Promise<boolean> {
    const { db, now, callNode, at, poller, partSizeFor } = this.deps;
    const { id, size, state, partSize, urlExpiresAt } = upload;
    const isPut = state === "open" && partSize === null;
    const isHalfway = state === "pending" && partSize !== null && urlExpiresAt !== null; // otherwise it is still being reserved
    if (!isPut && !isHalfway) return false;
    if (isPut && (await callNode(node, (s3) => this.hasArrived(upload, s3)))) return false;
    if (isPut && !(await uploads.startReopening(db, upload, partSizeFor(size), now()))) return true;
    at("reopening");
    poller.forgetParts(id);
    await callNode(node, (s3) => this.openAnew(upload, s3));
    return true;
  }

  /** Keeps bytes that arrived after the last check. */
  private async hasArrived(upload: Upload, s3: S3): Promise<boolean> {
    const parts = await s3.listParts(upload.objectKey, upload.providerUploadId ?? "");
    return parts === undefined || isWhole(upload, parts);
  }

  /**
   * Aborts the previous upload before opening another, so that its URL stops working and nothing is stored twice. If
   * several processes do this, the row takes the upload of one: the others abort theirs, and nothing else is aborted
   * before the row names an upload.
   */
  private async openAnew({ id, mimeType, objectKey, providerUploadId }: Upload, s3: S3): Promise<void> {
    const { db, now, at, poller } = this.deps;
    if (providerUploadId) await s3.abort(objectKey, providerUploadId);
    at("aborted at the provider");
    const newId = await s3.initiate(objectKey, mimeType, id);
    at("initiated");
    if (await uploads.markOpen(db, { id, providerUploadId: newId }, now())) {
      poller.beginParts(id, newId);
      await s3.abortOthers(objectKey, newId);
    } else await s3.abort(objectKey, newId);
    at("opened");
  }
}
