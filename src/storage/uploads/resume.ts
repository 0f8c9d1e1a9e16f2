import * as uploads from "../../../db/storage/uploads";
import type { Log } from "../../telemetry/log";
import { attempt, unlessOurs } from "./attempt";
import { clientEnd } from "./client-end";
import { closed, type Options, PartSigner } from "./part-urls";
import { sizeOfPart } from "./plan";
import { grantOf } from "./reserve";
import { type Status, statusOf } from "./status";
import { urlLifetimeSeconds } from "../../../db/storage/rules";

export type Resumption = ReturnType<typeof resumption>;

/** What a client does with an upload after it was reserved. All return undefined when there is no such upload. */
export const resumption = (options: Options & { log: Log }) => ({
  ...signing(options),
  ...clientEnd(options),
  status: (id: string, mayLook = true) => status(options, id, mayLook),
});

/** After a look at the provider, at most one a second; `mayLook` false: as it was last seen. */
async function status(
  { db, poller }: Pick<Options, "db" | "poller">,
  id: string,
  mayLook: boolean,
): Promise<Status | undefined> {
  if (mayLook) await poller.lookNow(id).catch(unlessOurs); // logged; what was last known is returned
  const upload = await uploads.find(db, id);
  return upload && statusOf(upload, poller.partsOf(id));
}

/** Fresh URLs. */
function signing(options: Options & { log: Log }) {
  const { db, now, poller, reach } = options;
  const signer = new PartSigner(options);

  /**
   * URLs for those of the wanted parts that are missing. The first call for a reservation of one PUT makes it one of
   * parts: its `uploadUrl` dies, so that no more bytes than reserved ever lie at the provider.
   */
  const partUrls = (id: string, isWanted: (part: number) => boolean, max = 100) =>
    attempt(options, id, async () => {
      await poller.lookNow(id);
      return poller.withOpen(id, (open) => signer.sign(open, isWanted, max));
    });

  /** Another hour for the one PUT. "multipart": ask for the URLs of parts instead. */
  const freshUrl = (id: string) =>
    attempt(options, id, () =>
      poller.withOpen(id, async ({ upload, node }) => {
        const { state, objectKey, providerUploadId, size, partSize } = upload;
        if (partSize !== null) return { outcome: "multipart" } as const;
        if (state !== "open" || !providerUploadId) return closed(upload);
        const s3 = await reach(node);
        await uploads.extendForUrls(db, upload, node, now());
        const uploadUrl = s3.uploadUrl(objectKey, providerUploadId, size);
        return { outcome: "signed", uploadUrl, expiresIn: urlLifetimeSeconds } as const;
      }),
    );

  /** What the reservation was answered, with another hour for its URL: for a client that lost that answer. */
  const grantAgain = (id: string) =>
    attempt(options, id, () =>
      poller.withOpen(id, async ({ upload, node }) => {
        const { state, objectKey, providerUploadId } = upload;
        if (state !== "open" || !providerUploadId) return closed(upload);
        const s3 = await reach(node);
        await uploads.extendForUrls(db, upload, node, now());
        const url = s3.uploadUrl(objectKey, providerUploadId, sizeOfPart(upload, 1));
        return { outcome: "signed", grant: grantOf(upload, url) } as const;
      }),
    );

  return { partUrls, freshUrl, grantAgain };
}
