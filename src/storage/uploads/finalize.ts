import { createHash } from "node:crypto";
import type { Part } from "../s3/multipart";
import type { S3 } from "../s3/s3";
import { type At, partCount, sizeOfPart, verdictOnObject } from "./plan";
import type { Db } from "../../../db/engine/open";
import * as uploads from "../../../db/storage/uploads";
import { find, hasMd5Etags, isCutKnown, keepsInterrupted, type StorageNode } from "../../../db/storage/nodes/nodes";
import type { Log } from "../../platform/log";
import type { Calls } from "../../telemetry/storage-metrics";
import { embeddedServer } from "../s3/disposition";
import { isOutdated, isTimeout } from "../s3/errors";

type Stored = Pick<Upload, "objectKey" | "size" | "partSize">;

/**
 * Whether an object has all bytes of its parts, on a server that fills what did not arrive with zeros: each part ends
 * with another byte, or is read and has the MD5 in its ETag. That of a single PUT would prove nothing: it is the MD5 of
 * the bytes that did arrive.
 *
 * @param parts as listed before the object was made; if they are unknown after a crash, all of the object is read
 */
async function isIntact(s3: S3, upload: Stored, etag: string, parts?: Part[]): Promise<boolean> {
  if (!parts) return isWholeObject(s3, upload, etag);
  const { objectKey } = upload;
  let start = 0;
  for (const part of parts) {
    const mayBeCut = part.size > 0 && (await isZero(s3, objectKey, start + part.size - 1));
    if (mayBeCut && (await md5(s3, objectKey, start, part.size)).toString("hex") !== part.etag) return false;
    start += part.size;
  }
  return true;
}

const isZero = async (s3: S3, key: string, at: number) => (await Array.fromAsync(s3.read(key, at, 1)))[0]?.[0] === 0;

/** Compares with the ETag of the object: the MD5 of the MD5s of its parts, and their number. */
async function isWholeObject(s3: S3, upload: Stored, etag: string): Promise<boolean> {
  const all = createHash("md5");
  const count = partCount(upload);
  for (let part = 1, start = 0; part <= count; start += sizeOfPart(upload, part), part++)
    all.update(await md5(s3, upload.objectKey, start, sizeOfPart(upload, part)));
  return etag === `${all.digest("hex")}-${count}`;
}

async function md5(s3: S3, key: string, start: number, length: number): Promise<Buffer> {
  const hash = createHash("md5");
  for await (const bytes of s3.read(key, start, length)) hash.update(bytes);
  return hash.digest();
}

type Upload = uploads.Upload;
/** An upload that has not ended, on one of our nodes. */
export type Open = { upload: Upload; node: StorageNode };
type Options = {
  db: Db;
  log: Log;
  now: () => Date;
  at: At;
  calls: Calls;
  /** Probes a node, to learn what it does with interrupted uploads. */
  test: (node: StorageNode) => Promise<unknown>;
  ended: (id: string) => void;
};

/**
 * The ways an upload ends. The row is changed before the node is called and settled afterwards, and every step can be
 * repeated: after a crash anywhere, the next check repairs it.
 */
export class Finalizer {
  private readonly tests = new Map<string, Promise<unknown>>(); // under way, by node

  constructor(private readonly deps: Options) {}

  /** Makes the object from these parts. Does nothing, and returns false, if the upload has changed in the meantime. */
  async complete({ upload, node }: Open, s3: S3, parts: Part[]): Promise<boolean> {
    const { db, at } = this.deps;
    if (isOther(upload, node, parts)) return this.abort(upload, s3, "damaged").then(() => true);
    const [only, ...others] = parts; // each part was verified against its own checksum, but the whole file against none of them
    const checksums = others.length ? {} : { ...upload.checksums, ...only?.checksums };
    if (!(await uploads.startCompleting(db, upload, Object.keys(checksums).length ? checksums : null))) return false;
    at("completing");
    const error = await s3.complete(upload.objectKey, upload.providerUploadId ?? "", parts).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    at("completed at the provider");
    if (isOutdated(error)) return true; // a part was sent again: the next check sees which one
    if (isTimeout(error)) return true; // it takes time, and the next check sees more
    if (error && !(await s3.stat(upload.objectKey))) throw error;
    await this.conclude({ upload: { ...upload, state: "completing" }, node }, s3, parts); // whatever the response was: the object exists
    return true;
  }

  /**
   * Settles an upload that is closed at the node: whether the object exists tells how it ended. On a node that keeps
   * interrupted uploads, it is read first, unless the node has compared it with an MD5.
   *
   * @param parts as last listed, if known
   */
  async conclude({ upload, node }: Open, s3: S3, parts?: Part[]): Promise<void> {
    const { db } = this.deps;
    const object = await s3.stat(upload.objectKey);
    const verdict = verdictOnObject(upload, object);
    if (object && verdict.is === "whole") {
      if (!(await uploads.startCompleting(db, upload))) return; // a restored backup may not know that completing had begun
      const completing = { ...upload, state: "completing" as const };
      const isDoubtful = !upload.checksums?.md5 && (await this.mayBeCut(node));
      if (isDoubtful && !(await isIntact(s3, upload, object.etag, parts))) return this.abort(completing, s3, "damaged");
      return this.finish(completing, object.etag);
    }
    if (verdict.is === "unwanted") return this.abort(upload, s3, verdict.outcome);
    if (verdict.is === "gone") await this.settle(upload, verdict.outcome);
  }

  /** Whether the node keeps interrupted uploads. One that did not answer when it should have been tested is tested now. */
  private async mayBeCut(node: StorageNode): Promise<boolean> {
    if (isCutKnown(node) || node.server === embeddedServer) return keepsInterrupted(node);
    const { db, test } = this.deps;
    const running = this.tests.get(node.id) ?? test(node).finally(() => this.tests.delete(node.id));
    this.tests.set(node.id, running);
    await running;
    return keepsInterrupted((await find(db, node.id)) ?? node);
  }

  /**
   * Records why the upload ended, and discards it. Does nothing if it has changed in the meantime. The row stays as
   * `aborted`, until its node is removed.
   */
  async abort(upload: Upload, s3: S3, outcome: string): Promise<void> {
    const { db, now, at } = this.deps;
    if (!(await uploads.startAborting(db, upload, { outcome, nextCheckAt: soon(now()) }))) return;
    at("aborting");
    await this.discard({ ...upload, state: "aborting", outcome }, s3);
  }

  /** Discards the upload at the node, then frees its space. */
  async discard(upload: Upload, s3: S3): Promise<void> {
    const { at } = this.deps;
    const { objectKey, outcome, providerUploadId } = upload;
    if (upload.state === "pending") return this.abort(upload, s3, "never opened");
    await s3.forget(objectKey, providerUploadId ?? undefined);
    at("aborted at the provider");
    await this.settle(upload, outcome ?? "never opened");
  }

  /** Makes it a file, unless endpoints are asked first. */
  private async finish(upload: Upload, etag: string): Promise<void> {
    const { db, log, now, at, calls, ended } = this.deps;
    const { id, size } = upload;
    const outcome = await uploads.finish(db, { upload, etag }, now());
    if (outcome) log.info(`upload ${outcome}`, { id, size });
    if (outcome === "completed") calls.ended("completed", size);
    ended(id);
    at("settled");
  }

  private async settle(upload: Upload, outcome: string): Promise<void> {
    const { db, log, now, at, calls, ended } = this.deps;
    const { id, size } = upload;
    if (await uploads.settle(db, upload, { state: "aborted", outcome }, now())) {
      log.info("upload aborted", { id, size, outcome });
      calls.ended("aborted", size);
    }
    ended(id);
    at("settled");
  }
}

/** Whether the only part has another MD5 than the client announced. */
function isOther({ checksums }: Upload, node: StorageNode, [only, ...others]: Part[]): boolean {
  const md5 = others.length ? undefined : checksums?.md5;
  return md5 !== undefined && hasMd5Etags(node) && Buffer.from(md5, "base64").toString("hex") !== only?.etag;
}

const soon = (now: Date) => new Date(now.getTime() + 1_000);
