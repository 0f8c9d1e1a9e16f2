import type { Db } from "../../../db/engine/open";
import * as uploads from "../../../db/storage/uploads";
import type { Log } from "../../telemetry/log";
import type { Calls } from "../../telemetry/storage-metrics";
import type { Part } from "../s3/list-parts";
import type { S3 } from "../s3/s3";
import type { At } from "./checkpoints";
import { isOutdated, isTimeout } from "../s3/errors";

type Upload = uploads.Upload;
type Options = { db: Db; log: Log; now: () => Date; at: At; calls: Calls; ended: (id: string) => void };

/**
 * The ways an upload ends. The row is changed before the provider is asked and settled after, and every step can be
 * repeated: a crash anywhere is repaired by looking again.
 */
export function endings({ db, log, now, at, calls, ended }: Options) {
  /** Makes these parts the object. Nothing happens when the upload was given up meanwhile. */
  async function complete(upload: Upload, s3: S3, parts: Part[]): Promise<void> {
    const [only, ...others] = parts; // each part was checked against its own checksum, the file against none of them
    const checksums = others.length ? undefined : only?.checksums;
    if (!(await uploads.startCompleting(db, upload.id, checksums ?? null))) return;
    at("completing");
    const trouble = await s3.complete(upload.objectKey, upload.providerUploadId ?? "", parts).then(
      () => undefined,
      (error: unknown) => error,
    );
    at("completed at the provider");
    if (isOutdated(trouble)) return; // a part was sent again in between: the next look sees which
    if (isTimeout(trouble)) return; // it takes its time, and the next look sees more
    if (trouble && !(await s3.stat(upload.objectKey))) throw trouble;
    await conclude(upload, s3); // whatever it answered: the object is there
  }

  /** The upload is closed at the provider: the object that is there, or is not, tells how it ended. */
  async function conclude(upload: Upload, s3: S3): Promise<void> {
    const object = await s3.stat(upload.objectKey);
    if (object?.size === upload.size) {
      await uploads.startCompleting(db, upload.id); // an old copy of the database may not know that it had begun
      return settle(upload, "completed", undefined, object.etag);
    }
    if (object) await s3.remove(upload.objectKey);
    await settle(upload, "aborted", object ? "another size" : "vanished");
  }

  /** Says why it is over, and lets go. Nothing happens when it had ended before. */
  async function giveUp(upload: Upload, s3: S3, outcome: string): Promise<void> {
    if (!(await uploads.startAborting(db, upload, outcome, soon(now())))) return;
    at("aborting");
    await letGo({ ...upload, state: "aborting", outcome }, s3);
  }

  /** Has the provider forget the upload, then gives the bytes back. */
  async function letGo(upload: Upload, s3: S3): Promise<void> {
    const { objectKey, outcome, providerUploadId } = upload;
    if (upload.state === "pending") return giveUp(upload, s3, "never opened");
    await s3.forget(objectKey, providerUploadId ?? undefined);
    at("aborted at the provider");
    await settle(upload, "aborted", outcome ?? "never opened");
  }

  async function settle(
    { id, size }: Upload,
    state: "completed" | "aborted",
    outcome?: string,
    etag?: string,
  ): Promise<void> {
    if (await uploads.settle(db, id, state, now(), outcome, etag)) {
      log.info(`upload ${state}`, { id, size, outcome });
      calls.ended(state, size);
    }
    ended(id);
    at("settled");
  }

  return { complete, conclude, giveUp, letGo };
}

const soon = (now: Date) => new Date(now.getTime() + 1_000);
