import type { Db } from "../../db";
import * as uploads from "../../db/uploads";
import type { Ask } from "./node-access";
import { urlLifetime } from "./presign";
import { isRefusal } from "./trouble";

type Options = { db: Db; now: () => Date; ask: Ask };

/** What the client needs to send the bytes (spec 4.7). */
export type Grant = {
  uploadUrl: string;
  expiresIn: number;
  method: "PUT";
  _meta: { nodeId: string; reservationId: string; folderId: string };
};

/**
 * Reserves room and opens the upload at the provider. A node that fails gives its bytes back and the next one that
 * fits is asked.
 *
 * @returns "full" when every usable node answered and none has room (D34)
 * @throws when a node with room could not be used
 */
export async function reserve(options: Options, input: uploads.NewUpload): Promise<Grant | "full"> {
  const { db, now } = options;
  const tried: string[] = [];
  for (;;) {
    const taken = await uploads.reserve(db, input, tried, now());
    if (taken.outcome === "reserved") {
      const grant = await open(options, taken);
      if (grant) return grant;
      tried.push(taken.node.id);
    } else if (taken.outcome === "full" && !tried.length) return "full";
    else throw new Error("No storage node with room for the upload answers");
  }
}

type Taken = Extract<uploads.Reserved, { outcome: "reserved" }>;

/** Undefined when the provider is in trouble; the reservation is rolled back then. */
async function open({ db, now, ask }: Options, { upload, node }: Taken): Promise<Grant | undefined> {
  const { id, objectKey, mimeType, size, folderId } = upload;
  const grant = await ask(node, async (s3) => {
    const providerUploadId = await s3.initiate(objectKey, mimeType, id);
    return { providerUploadId, uploadUrl: s3.uploadUrl(objectKey, providerUploadId, size) };
  }).catch((error) => rollBack(db, upload, error, now()));
  if (!grant) return undefined;
  if (!(await uploads.opened(db, id, grant.providerUploadId, now())))
    throw new Error("The reservation was given up before the provider answered");
  const _meta = { nodeId: node.id, reservationId: id, folderId };
  return { uploadUrl: grant.uploadUrl, expiresIn: urlLifetime, method: "PUT", _meta };
}

/** A provider that did not say no may have opened the upload, or do so yet: the sweeper looks for it in a minute. */
async function rollBack(db: Db, { id }: uploads.Upload, error: unknown, now: Date): Promise<undefined> {
  if (isRefusal(error)) await uploads.settle(db, id, "aborted", now, "refused");
  else await uploads.startAborting(db, id, "no answer", new Date(now.getTime() + uploads.patience));
}
