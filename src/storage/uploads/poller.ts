import type { Db } from "../../../db/engine/open";
import * as storageNodes from "../../../db/storage/nodes/nodes";
import * as uploads from "../../../db/storage/uploads";
import { checkVerifying } from "../../../db/storage/verification";
import type { Log } from "../../platform/log";
import type { Calls } from "../../telemetry/storage-metrics";
import { inTurn } from "../../../db/async/turns";
import { Finalizer, type Open } from "./finalize";
import type { CallNode } from "../nodes/access";
import type { CapacityMonitor } from "../nodes/capacity";
import { type At, bytesOf, isWhole, verdictOnParts } from "./plan";
import type { Part } from "../s3/multipart";
import type { S3 } from "../s3/s3";

type Upload = uploads.Upload;
type StorageNode = storageNodes.StorageNode;
type Options = {
  db: Db;
  log: Log;
  now: () => Date;
  callNode: CallNode;
  at: At;
  calls: Calls;
  doubt: CapacityMonitor["doubt"];
  /** Probes a node, to learn what it is. */
  test: (node: StorageNode) => Promise<unknown>;
};

/**
 * The last check: the parts that the upload with this ID at the provider had, unless the node has not responded yet or
 * any more, and since when all bytes are there.
 */
type Seen = {
  at: number;
  providerUploadId?: string | null;
  parts?: Part[];
  hasFailed?: boolean;
  wholeSince?: number | undefined;
};
export type { Open };

/** Another process has changed the upload since it was read. */
export const hasChanged = Symbol("has changed");

const second = 1_000; // milliseconds

/**
 * Follows uploads to their end. Nodes do not announce that a part has arrived, so the service polls. Operations on one
 * upload run one at a time. Other processes are kept out by its row: nothing is done that was decided from a row which
 * has changed since.
 */
export class Poller {
  private readonly seen = new Map<string, Seen>();
  private readonly looking = new Map<string, Promise<void>>();
  private readonly alone = inTurn();
  private readonly finalizer: Finalizer;

  constructor(private readonly deps: Options) {
    this.finalizer = new Finalizer({ ...deps, ended: (id) => this.forgetParts(id) });
  }

  /** Checks the upload's status at the node. Concurrent callers share one check. @throws if the node fails */
  look(id: string): Promise<void> {
    const running =
      this.looking.get(id) ?? this.withOpen(id, (open) => this.see(open)).finally(() => this.looking.delete(id));
    this.looking.set(id, running);
    return running;
  }

  /** `isAsked`: the client says that it is done, so nothing is waited for. Returns `hasChanged` if it came too late. */
  async see({ upload, node }: Open, isAsked = false): Promise<void | typeof hasChanged> {
    const { db, now, callNode } = this.deps;
    if (upload.state === "pending" && now() < upload.nextCheckAt) return; // another request is about to open it
    if (isVerifying(upload)) return now() < upload.nextCheckAt ? undefined : checkVerifying(db, upload.id, now());
    if (!(await uploads.postpone(db, upload, this.later(pause(upload, now()))))) return hasChanged;
    try {
      return await callNode(node, (s3) =>
        mustDiscard(upload) ? this.finalizer.discard(upload, s3) : this.advance(upload, node, s3, isAsked),
      );
    } catch (error) {
      this.seen.set(upload.id, { ...this.seen.get(upload.id), at: now().getTime(), hasFailed: true });
      throw error;
    }
  }

  /**
   * Runs `work` with the current state of the upload when its turn comes, and once more if that was no longer current
   * (`hasChanged`). Returns undefined if it has ended, or never existed.
   */
  withOpen<T>(id: string, work: (open: Open) => Promise<T | typeof hasChanged>): Promise<T | undefined> {
    const { db } = this.deps;
    return this.alone(id, async () => {
      for (;;) {
        const upload = await uploads.find(db, id);
        const node = upload && !uploads.isSettled(upload.state) && (await storageNodes.find(db, upload.nodeId));
        if (!node) return void this.seen.delete(id);
        const done = await work({ upload, node });
        if (done !== hasChanged) return done;
      }
    });
  }

  /** Returns the parts that the last check saw; undefined if the node has not responded, so that nothing is known. */
  partsOf({ id, providerUploadId }: Pick<Upload, "id" | "providerUploadId">): Part[] | undefined {
    const seen = this.seen.get(id);
    return seen?.providerUploadId === providerUploadId && !seen.hasFailed ? seen.parts : undefined;
  }

  /** Another upload has begun under this reservation. */
  forgetParts(id: string): void {
    this.seen.delete(id);
  }

  /** An upload without parts has just been opened. */
  beginParts(id: string, providerUploadId: string): void {
    this.seen.set(id, { at: this.deps.now().getTime(), providerUploadId, parts: [] });
  }

  /** Checks, unless that was done within the last second. @throws if the node fails, or failed within that second */
  async lookNow(id: string): Promise<void> {
    const before = this.seen.get(id);
    const isRecent = before && Math.abs(this.deps.now().getTime() - before.at) < second;
    if (isRecent && before.hasFailed) throw new Error("The storage node failed a moment ago");
    if (!isRecent || !before.parts || !(await this.isOfThis(id, before))) await this.look(id);
  }

  private async isOfThis(id: string, seen: Seen): Promise<boolean> {
    return (await uploads.find(this.deps.db, id))?.providerUploadId === seen.providerUploadId;
  }

  private later(milliseconds: number): Date {
    return new Date(this.deps.now().getTime() + milliseconds);
  }

  /** Advances an upload that the node knows, or knew. */
  private async advance(upload: Upload, node: StorageNode, s3: S3, isAsked: boolean) {
    const { db, now, doubt } = this.deps;
    const { id, objectKey, providerUploadId, size } = upload;
    const parts = await s3.listParts(objectKey, providerUploadId ?? "");
    if (!parts) return this.finalizer.conclude({ upload, node }, s3);

    const since = isWhole(upload, parts)
      ? Math.min(this.seen.get(id)?.wholeSince ?? Infinity, now().getTime())
      : undefined;
    this.seen.set(id, { at: now().getTime(), providerUploadId, parts, wholeSince: since });
    const received = bytesOf(parts);
    const current = await uploads.recordProgress(db, { upload, received, node }, now());
    if (!current) return hasChanged;
    const verdict = verdictOnParts(current, { parts, wholeSince: since, isAsked }, now());
    if (verdict.is === "whole")
      return (await this.finalizer.complete({ upload: current, node }, s3, parts)) ? undefined : hasChanged;
    if (verdict.is !== "open") {
      if (verdict.outcome === "expired" && size > 0 && received === 0) doubt(node.id, size); // perhaps the node rejected it
      return this.finalizer.abort(current, s3, verdict.outcome);
    }
    if (verdict.waitMs !== undefined) await uploads.postpone(db, current, this.later(verdict.waitMs));
  }
}

/** All bytes are there, and endpoints decide what becomes of them: the node has nothing more to say. */
const isVerifying = ({ state, verifyingSince }: Upload) => state === "completing" && verifyingSince !== null;

const mustDiscard = ({ state }: Upload) => state === "pending" || state === "aborting";

/** Half the upload's age: from every second at first to once a minute. */
const pause = ({ createdAt }: Upload, now: Date) =>
  Math.min(60 * second, Math.max(second, (now.getTime() - createdAt.getTime()) / 2));
