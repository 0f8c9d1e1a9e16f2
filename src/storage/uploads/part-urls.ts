import type { Db } from "../../../db/engine/open";
import type { StorageNode } from "../../../db/storage/nodes/nodes";
import * as uploads from "../../../db/storage/uploads";
import type { Open, Poller } from "./poller";
import type { Ask } from "../nodes/access";
import type { CapacityMonitor } from "../nodes/capacity";
import { isWhole, missingParts, partCount, sizeOfPart } from "./plan";
import type { S3 } from "../s3/s3";
import type { At } from "./checkpoints";
import { urlLifetimeSeconds } from "../../../db/storage/rules";

type Upload = uploads.Upload;
export type Options = {
  db: Db;
  now: () => Date;
  ask: Ask;
  at: At;
  poller: Poller;
  /** The node's keys, to sign with; nobody is asked. */
  reach: (node: StorageNode) => Promise<S3>;
  partSizeFor: (size: number) => number;
  /** Finds out whether the node takes so many bytes. */
  doubt: CapacityMonitor["doubt"];
};

export type PartUrl = { part: number; size: number; url: string };
type Signed = { outcome: "signed"; partSize: number; partCount: number; parts: PartUrl[]; expiresIn: number };
/** It takes no more bytes: it is complete, or was given up. */
export type Closed = { outcome: "closed"; state: Upload["state"] };

export const closed = ({ state }: Upload): Closed => ({ outcome: "closed", state });

/** Signs URLs for the parts that are missing, and turns an upload of one PUT into one of parts for that. */
export class PartSigner {
  constructor(private readonly deps: Options) {}

  async sign(open: Open, isWanted: (part: number) => boolean, max: number): Promise<Signed | Closed> {
    const { db, now, poller, reach } = this.deps;
    const upload = await this.inParts(open);
    const { id, objectKey, providerUploadId, partSize, size } = upload;
    if (upload.state !== "open" || !providerUploadId) return closed(upload);
    const s3 = await reach(open.node);
    const missing = missingParts(upload, poller.partsOf(id)).filter(isWanted).slice(0, max);
    const parts = missing.map((part) => ({ part, size: sizeOfPart(upload, part) }));
    await uploads.extendForUrls(db, upload, open.node, now());
    return {
      outcome: "signed",
      partSize: partSize ?? size,
      partCount: partCount(upload),
      parts: parts.map((part) => ({ ...part, url: s3.partUrl(objectKey, providerUploadId, part) })),
      expiresIn: urlLifetimeSeconds,
    };
  }

  /** One PUT that has not arrived becomes parts. What a crash or a failing provider left halfway is gone through again. */
  private async inParts({ upload, node }: Open): Promise<Upload> {
    const { db, now, ask, at, poller, partSizeFor } = this.deps;
    const { id, size, state, partSize, urlExpiresAt } = upload;
    const isPut = state === "open" && partSize === null;
    const isHalfway = state === "pending" && partSize !== null && urlExpiresAt !== null; // else it is just being reserved
    if (!isPut && !isHalfway) return upload;
    if (isPut && (await ask(node, (s3) => this.hasArrived(upload, s3)))) return upload;
    if (isPut && !(await uploads.startReopening(db, id, partSizeFor(size), now()))) return upload;
    at("reopening");
    poller.forgetParts(id);
    await ask(node, (s3) => this.openAnew(upload, s3));
    return (await uploads.find(db, id)) ?? upload;
  }

  /** Bytes that are there are not thrown away, though they came after the last look. */
  private async hasArrived(upload: Upload, s3: S3): Promise<boolean> {
    const parts = await s3.listParts(upload.objectKey, upload.providerUploadId ?? "");
    return parts === undefined || isWhole(upload, parts);
  }

  /** The previous upload is gone before there is another: its URL is dead, and no bytes are stored twice. */
  private async openAnew({ id, mimeType, objectKey, providerUploadId }: Upload, s3: S3): Promise<void> {
    const { db, now, at } = this.deps;
    await s3.forget(objectKey, providerUploadId ?? undefined);
    at("aborted at the provider");
    const newId = await s3.initiate(objectKey, mimeType, id);
    at("initiated");
    if (!(await uploads.markOpen(db, id, newId, now()))) await s3.abort(objectKey, newId);
    at("opened");
  }
}
