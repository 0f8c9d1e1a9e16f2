import * as uploads from "../../../db/storage/uploads";
import type { Log } from "../../platform/log";
import { attempt, unlessOurs } from "./attempt";
import { clientEnd } from "./client-end";
import { closed, type Options, PartSigner } from "./part-urls";
import { again } from "./poller";
import { grantOf, headersOf, urlOf } from "./grant";
import { type Status, statusOf } from "./status";
import { urlLifetimeSeconds } from "../../../db/storage/rules";

export type Resumption = ReturnType<typeof resumption>;

/** What a client does with an upload after reserving it. All functions return undefined if there is no such upload. */
export const resumption = (options: Options & { log: Log }) => ({
  ...signing(options),
  ...clientEnd(options),
  status: (id: string, mayLook = true) => status(options, id, mayLook),
});

/**
 * Checks the node first, at most once a second, unless `mayLook` is false: then returns what was last seen. "unknown":
 * the upload is open, and its node does not say which parts it has.
 */
async function status(
  { db, poller }: Pick<Options, "db" | "poller">,
  id: string,
  mayLook: boolean,
): Promise<Status | "unknown" | undefined> {
  for (let tries = 0; ; tries++) {
    const isSeen = mayLook && (await poller.lookNow(id).then(() => true, unlessOurs)); // a failure was logged
    const upload = await uploads.find(db, id);
    if (!upload) return undefined;
    const parts = poller.partsOf(upload);
    if (parts || !mayLook || upload.state !== "open") return statusOf(upload, parts ?? []);
    if (!isSeen || tries) return "unknown"; // otherwise another process has just converted it
  }
}

/** Fresh URLs. */
function signing(options: Options & { log: Log }) {
  const { db, now, poller, reach } = options;
  const signer = new PartSigner(options);

  /**
   * Returns URLs for those of the wanted parts that are missing. The first call for a single PUT converts it to
   * multipart: its `uploadUrl` stops working, so that the node never stores more bytes than were reserved.
   */
  const partUrls = (id: string, isWanted: (part: number) => boolean, max = 100) =>
    attempt(options, id, async () => {
      await poller.lookNow(id);
      return poller.withOpen(id, (open) => signer.sign(open, isWanted, max));
    });

  /** Renews the URL of a single PUT for another hour. "multipart": request the URLs of parts instead. */
  const freshUrl = (id: string) =>
    attempt(options, id, () =>
      poller.withOpen(id, async ({ upload, node }) => {
        const { state, providerUploadId, partSize } = upload;
        if (partSize !== null) return { outcome: "multipart" } as const;
        if (state !== "open" || !providerUploadId) return closed(upload);
        const s3 = await reach(node);
        if (!(await uploads.extendForUrls(db, upload, node, now()))) return again;
        const uploadUrl = urlOf(s3, upload, providerUploadId);
        return { outcome: "signed", uploadUrl, expiresIn: urlLifetimeSeconds, ...headersOf(upload) } as const;
      }),
    );

  /** Repeats the response to the reservation, with a fresh URL, for a client that lost it. */
  const grantAgain = (id: string) =>
    attempt(options, id, () =>
      poller.withOpen(id, async ({ upload, node }) => {
        const { state, providerUploadId } = upload;
        if (state !== "open" || !providerUploadId) return closed(upload);
        const s3 = await reach(node);
        if (!(await uploads.extendForUrls(db, upload, node, now()))) return again;
        return { outcome: "signed", grant: grantOf(upload, urlOf(s3, upload, providerUploadId)) } as const;
      }),
    );

  return { partUrls, freshUrl, grantAgain };
}
