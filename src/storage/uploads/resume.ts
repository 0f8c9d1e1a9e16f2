import type { By } from "../../../db/audit";
import { isDatabaseFault } from "../../../db/engine/errors";
import * as uploads from "../../../db/storage/uploads";
import { described, type Log } from "../../telemetry/log";
import { type Closed, closed, type Options, partSigner } from "./part-urls";
import { missingParts, sizeOfPart } from "./plan";
import { grantOf } from "./reserve";
import { type Status, statusOf } from "./status";
import { urlLifetimeSeconds } from "../../../db/storage/rules";

/** The provider does not answer as it should; the row stays, and asking again later is right. */
export type Trouble = { outcome: "trouble" };

export type Resumption = ReturnType<typeof resumption>;

/** What a client does with an upload after it was reserved. All answer undefined when there is no such upload. */
export function resumption({ log, ...options }: Options & { log: Log }) {
  const { db, now, at, follower, reach, doubt } = options;
  const { look, lookNow, see, withOpen, partsOf } = follower;
  const sign = partSigner(options);

  /** After a look at the provider, at most one a second; `mayLook` false: as it was last seen. */
  async function status(id: string, mayLook = true): Promise<Status | undefined> {
    if (mayLook) await lookNow(id).catch(unlessOurs); // logged; what was last known is told
    const upload = await uploads.find(db, id);
    return upload && statusOf(upload, partsOf(id));
  }

  /**
   * URLs for those of the wanted parts that are missing. The first call for a reservation of one PUT makes it one of
   * parts: its `uploadUrl` dies, so that no more bytes than reserved ever lie at the provider.
   */
  const partUrls = (id: string, isWanted: (part: number) => boolean, most = 100) =>
    attempt(id, async () => {
      await lookNow(id);
      return withOpen(id, (open) => sign(open, isWanted, most));
    });

  /** Another hour for the one PUT. "multipart": ask for the URLs of parts instead. */
  const freshUrl = (id: string) =>
    attempt(id, () =>
      withOpen(id, async ({ upload, node }) => {
        const { state, objectKey, providerUploadId, size, partSize } = upload;
        if (partSize !== null) return { outcome: "multipart" } as const;
        if (state !== "open" || !providerUploadId) return closed(upload);
        const s3 = await reach(node);
        await uploads.urlsSigned(db, upload, node, now());
        const uploadUrl = s3.uploadUrl(objectKey, providerUploadId, size);
        return { outcome: "signed", uploadUrl, expiresIn: urlLifetimeSeconds } as const;
      }),
    );

  /** What the reservation was answered, with another hour for its URL: for a client that lost that answer. */
  const grantAgain = (id: string) =>
    attempt(id, () =>
      withOpen(id, async ({ upload, node }) => {
        const { state, objectKey, providerUploadId } = upload;
        if (state !== "open" || !providerUploadId) return closed(upload);
        const s3 = await reach(node);
        await uploads.urlsSigned(db, upload, node, now());
        const url = s3.uploadUrl(objectKey, providerUploadId, sizeOfPart(upload, 1));
        return { outcome: "signed", grant: grantOf(upload, url) } as const;
      }),
    );

  /** The client says that everything is sent. "missing" tells what is not; "completing": the provider is still at it. */
  const complete = (id: string) =>
    attempt(id, async () => {
      await withOpen(id, (open) => see(open, true));
      const upload = await uploads.find(db, id);
      if (!upload) return undefined;
      const { state } = upload;
      if (state === "completed" || state === "completing") return { outcome: state } as const;
      if (state !== "open") return closed(upload);
      return { outcome: "missing", missing: missingParts(upload, partsOf(id)) } as const;
    });

  /** Gives the upload up. Its bytes are free when the provider has let go of it: at once, unless it is in trouble. */
  async function abort(id: string, outcome = "aborted by the client", by?: By) {
    await look(id).catch(unlessOurs); // what is complete is a file, and stays
    await withOpen(id, async ({ upload, node }) => {
      if (upload.state === "completing" || upload.state === "aborting") return;
      const isBeingOpened = upload.state === "pending";
      const next = new Date(now().getTime() + (isBeingOpened ? uploads.patience : 1_000));
      if (!(await uploads.startAborting(db, upload, outcome, next, by && { by, now: now() })) || isBeingOpened) return;
      at("aborting");
      await see({ upload: { ...upload, state: "aborting", outcome }, node });
    }).catch(unlessOurs); // logged; the sweeper goes on with it
    const upload = await uploads.find(db, id);
    return upload && ({ outcome: upload.state } as const);
  }

  /**
   * The client says that the node did not take its bytes: the upload is given up. For want of room, its client gets other
   * nodes for a while, and a trial finds out whether everybody should (P84).
   */
  async function fail(id: string, isFull: boolean, by?: By) {
    const ended = await abort(id, isFull ? "refused" : "failed", by);
    const upload = isFull && ended && isGivenUp(ended.outcome) ? await uploads.find(db, id) : undefined;
    if (upload) doubt(upload.nodeId, upload.size);
    return ended;
  }

  /** What `work` finds; that the upload is over when there is nothing open to work with; or that there is trouble. */
  async function attempt<T>(id: string, work: () => Promise<T | undefined>): Promise<T | Closed | Trouble | undefined> {
    try {
      const done = await work();
      if (done !== undefined) return done;
    } catch (error) {
      unlessOurs(error);
      log.warn("upload trouble", { id, ...described(error) });
      return { outcome: "trouble" };
    }
    const upload = await uploads.find(db, id);
    return upload && closed(upload);
  }

  return { status, partUrls, freshUrl, grantAgain, complete, abort, fail };
}

const isGivenUp = (state: uploads.Upload["state"]) => state === "aborting" || state === "aborted";

/** Trouble at the provider is an answer. @throws what is wrong with our database, which is none */
function unlessOurs(error: unknown): undefined {
  if (isDatabaseFault(error)) throw error;
}
