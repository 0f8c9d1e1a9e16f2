import type { Db } from "../../../db/engine/open";
import { isDatabaseFault } from "../../../db/engine/errors";
import * as reservations from "../../../db/storage/reservations";
import * as uploads from "../../../db/storage/uploads";
import type { Calls } from "../../telemetry/storage-metrics";
import type { Ask } from "../nodes/access";
import { partCount, sizeOfPart } from "./plan";
import { urlLifetime } from "../s3/presign";
import type { At } from "./checkpoints";
import { isRefusal } from "../s3/errors";

type Options = {
  db: Db;
  now: () => Date;
  ask: Ask;
  at: At;
  calls: Calls;
  asked?: uploads.Asked | undefined;
};

/** What the client needs to send the bytes (spec 4.7). */
export type Grant = {
  uploadUrl: string;
  expiresIn: number;
  method: "PUT";
  _meta: { nodeId: string; reservationId: string; folderId: string };
  /** When the file comes in parts: `uploadUrl` is then for the first of them. */
  partSize?: number;
  partCount?: number;
};

/**
 * Reserves room and opens the upload at the provider. A node that fails gives its bytes back and the next one that
 * fits is asked.
 *
 * @returns "full" when every usable node answered and none has room (D34)
 * @throws when a node with room could not be used
 */
export async function reserve(options: Options, input: reservations.NewUpload): Promise<Grant | "full"> {
  const { db, now } = options;
  const tried: string[] = [];
  for (;;) {
    const taken = await reservations.reserve(db, input, tried, now());
    if (taken.outcome === "reserved") {
      const grant = await open(options, taken);
      if (grant) return grant;
      tried.push(taken.node.id);
    } else if (taken.outcome === "full" && !tried.length) return "full";
    else throw new Error("No storage node with room for the upload answers");
  }
}

type Taken = Extract<reservations.Reserved, { outcome: "reserved" }>;

/** Undefined when the provider is in trouble; the reservation is rolled back then. */
async function open({ db, now, ask, at, calls, asked }: Options, { upload, node }: Taken): Promise<Grant | undefined> {
  const { id, objectKey, mimeType, folderId, partSize } = upload;
  at("reserved");
  const opened = await ask(node, async (s3) => {
    const providerUploadId = await s3.initiate(objectKey, mimeType, id);
    at("initiated");
    const isWanted = await uploads.opened(db, id, providerUploadId, now(), asked);
    if (!isWanted) await s3.abort(objectKey, providerUploadId);
    return { isWanted, uploadUrl: s3.uploadUrl(objectKey, providerUploadId, sizeOfPart(upload, 1)) };
  }).catch((error) => rollBack({ db, calls }, upload, error, now()));
  if (!opened) return undefined;
  if (!opened.isWanted) throw new Error("The reservation was given up before the provider answered");
  at("opened");
  const grant: Grant = {
    uploadUrl: opened.uploadUrl,
    expiresIn: urlLifetime,
    method: "PUT",
    _meta: { nodeId: node.id, reservationId: id, folderId },
  };
  return partSize === null ? grant : { ...grant, partSize, partCount: partCount(upload) };
}

/** A provider that did not say no may have opened the upload, or do so yet: the sweeper looks for it in a minute. */
async function rollBack(
  { db, calls }: Pick<Options, "db" | "calls">,
  upload: uploads.Upload,
  error: unknown,
  now: Date,
): Promise<undefined> {
  if (isRefusal(error)) {
    if (await uploads.settle(db, upload.id, "aborted", now, "refused")) calls.ended("aborted", upload.size);
  } else await uploads.startAborting(db, upload, "no answer", new Date(now.getTime() + uploads.patience));
  if (isDatabaseFault(error)) throw error; // another node would not mend it
}
