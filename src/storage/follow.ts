import type { Db } from "../../db";
import * as storageNodes from "../../db/storage-nodes";
import * as uploads from "../../db/uploads";
import type { Log } from "../log";
import type { Ask } from "./node-access";
import type { Part, S3 } from "./s3";

type Upload = uploads.Upload;
type Options = { db: Db; log: Log; now: () => Date; ask: Ask };

const second = 1_000;
const settling = 3 * second;

/** `received` is undefined when nobody can tell. */
export type Progress = { state: Upload["state"]; received: number | undefined };

/**
 * Follows uploads to their end. Providers tell nobody that a part has arrived, so somebody has to look. Each step
 * makes one row say what is true at the provider: the row is changed before and settled after, and every step can be
 * repeated, so a crash anywhere is repaired by looking again.
 */
export function follower({ db, log, now, ask }: Options) {
  const looks = new Map<string, { at: number; received: number; wholeSince?: number | undefined }>();
  const looking = new Map<string, Promise<void>>();
  const later = (milliseconds: number) => new Date(now().getTime() + milliseconds);

  /** One look at a time for each upload. @throws when the provider is in trouble; the row is looked at again later */
  function look(upload: Upload, node: storageNodes.StorageNode): Promise<void> {
    const running = looking.get(upload.id) ?? start(upload, node).finally(() => looking.delete(upload.id));
    looking.set(upload.id, running);
    return running;
  }

  async function start(upload: Upload, node: storageNodes.StorageNode): Promise<void> {
    await uploads.postpone(db, upload.id, later(pause(upload, now())));
    await ask(node, (s3) => (isGivenUp(upload) ? letGo(upload, s3) : advance(upload, s3)));
  }

  /** An upload that the provider knows, or knew. */
  async function advance(upload: Upload, s3: S3): Promise<void> {
    const { id, objectKey, providerUploadId, size } = upload;
    const parts = await s3.listParts(objectKey, providerUploadId ?? "");
    if (!parts) return conclude(upload, s3);

    const received = parts.reduce((sum, part) => sum + part.size, 0);
    const isWhole = parts.length === 1 && parts[0]?.part === 1 && received === size;
    const wholeSince = isWhole ? (looks.get(id)?.wholeSince ?? now().getTime()) : undefined;
    looks.set(id, { at: now().getTime(), received, wholeSince });
    if (received > size) return giveUp(upload, s3, "larger than reserved");
    if (wholeSince !== undefined) return complete(upload, s3, parts, wholeSince);
    if (now() >= upload.holdUntil) return giveUp(upload, s3, "expired");
  }

  /** Not at once: a client that lost the answer to its PUT may repeat it, and is to get a 200 again. */
  async function complete(upload: Upload, s3: S3, parts: Part[], wholeSince: number): Promise<void> {
    const wait = wholeSince + settling - now().getTime();
    if (wait > 0 && upload.state === "open") return void (await uploads.postpone(db, upload.id, later(wait)));
    await uploads.startCompleting(db, upload.id);
    const trouble = await s3.complete(upload.objectKey, upload.providerUploadId ?? "", parts).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (trouble && !(await s3.stat(upload.objectKey))) throw trouble;
    await conclude(upload, s3); // whatever it answered: the object is there
  }

  /** The upload is closed at the provider: the object that is there, or is not, tells how it ended. */
  async function conclude(upload: Upload, s3: S3): Promise<void> {
    const object = await s3.stat(upload.objectKey);
    if (object?.size === upload.size) return settle(upload, "completed");
    if (object) await s3.remove(upload.objectKey);
    await settle(upload, "aborted", object ? "another size" : "vanished");
  }

  async function giveUp(upload: Upload, s3: S3, outcome: string): Promise<void> {
    await uploads.startAborting(db, upload.id, outcome, later(second));
    await letGo({ ...upload, outcome }, s3);
  }

  /** Has the provider forget the upload, then gives the bytes back. */
  async function letGo(upload: Upload, s3: S3): Promise<void> {
    const { id, objectKey, outcome } = upload;
    if (upload.state === "pending" && !(await uploads.startAborting(db, id, "never opened", later(second)))) return;
    const open = upload.providerUploadId ?? (await s3.findUploadId(objectKey));
    if (open) await s3.abort(objectKey, open);
    await settle(upload, "aborted", outcome ?? "never opened");
  }

  async function settle({ id, size }: Upload, state: "completed" | "aborted", outcome?: string): Promise<void> {
    looks.delete(id);
    if (await uploads.settle(db, id, state, now(), outcome)) log.info(`upload ${state}`, { id, size, outcome });
  }

  return {
    look,
    /** Where the upload is now, after a look at the provider, at most one a second. Undefined when there is none. */
    async progress(id: string): Promise<Progress | undefined> {
      const upload = await uploads.find(db, id);
      if (!upload) return undefined;
      const node = await storageNodes.find(db, upload.nodeId);
      const seen = looks.get(id);
      const isFresh = seen !== undefined && now().getTime() - seen.at < second;
      const mayLook = upload.state === "open" || upload.state === "completing";
      if (node && mayLook && !isFresh) await look(upload, node).catch(() => undefined); // logged, and tried again
      const state = (await uploads.find(db, id))?.state ?? upload.state;
      return { state, received: state === "completed" ? upload.size : looks.get(id)?.received };
    },
  };
}

const isGivenUp = ({ state }: Upload) => state === "pending" || state === "aborting";

/** Half as long again as the upload is old: from every second at first to once a minute. */
const pause = ({ createdAt }: Upload, now: Date) =>
  Math.min(60 * second, Math.max(second, (now.getTime() - createdAt.getTime()) / 2));
