import { isDatabaseFault } from "../../../db/engine/errors";
import type { Db } from "../../../db/engine/open";
import * as uploads from "../../../db/storage/uploads";
import { described, type Log } from "../../platform/log";
import { type Closed, closed, type Options, PartSigner } from "./part-urls";
import type { ActorWithDetails } from "../../../db/audit";
import { type FailedPut, mayBeFull, saysFull } from "./upload-input";
import { missingParts, type Status, statusOf } from "./plan";
import { again } from "./poller";
import { grantOf, headersOf, urlOf } from "./grant";
import { urlLifetimeSeconds } from "../../../db/storage/rules";

/** The node does not respond as it should. The row stays, and trying again later is right. */
type Unavailable = { outcome: "unavailable" };

type Result<T> = T | Closed | Unavailable | undefined;

/**
 * Returns what `work` returns; that the upload has ended, if there is nothing open to work with; or that the node is
 * unavailable.
 */
async function attempt<T>(
  { db, log }: { db: Db; log: Log },
  id: string,
  work: () => Promise<T | undefined>,
): Promise<Result<T>> {
  try {
    const done = await work();
    if (done !== undefined) return done;
  } catch (error) {
    unlessOurs(error);
    log.warn("upload error", { id, ...described(error) });
    return { outcome: "unavailable" };
  }
  const upload = await uploads.find(db, id);
  return upload && closed(upload);
}

/** Makes an unavailable node an outcome. @throws failures of our own database */
function unlessOurs(error: unknown): undefined {
  if (isDatabaseFault(error)) throw error;
}

/** How a client ends its upload. All functions return undefined if there is no such upload. */
function clientEnd(options: Options & { log: Log }) {
  const { db, now, at, poller, doubt } = options;

  /**
   * The client says that everything has been sent. "missing": parts are missing. "completing": the node is still
   * assembling it.
   */
  const complete = (id: string) =>
    attempt(options, id, async () => {
      await poller.withOpen(id, (open) => poller.see(open, true));
      const upload = await uploads.find(db, id);
      if (!upload) return undefined;
      const { state } = upload;
      if (state === "completed" || state === "completing") return { outcome: state } as const;
      if (state !== "open") return closed(upload);
      return { outcome: "missing", missing: missingParts(upload, poller.partsOf(upload) ?? []) } as const;
    });

  /** Aborts the upload. Its space is free once the node has discarded it, usually immediately. */
  async function abort(id: string, outcome = "aborted by the client", by?: ActorWithDetails) {
    await poller.look(id).catch(unlessOurs); // if it is complete, it is a file and stays one
    await poller
      .withOpen(id, async ({ upload, node }) => {
        if (upload.state === "completing" || upload.state === "aborting") return;
        const isBeingOpened = upload.state === "pending";
        const next = new Date(now().getTime() + (isBeingOpened ? uploads.openTimeoutMs : 1_000));
        if (!(await uploads.startAborting(db, upload, { outcome, nextCheckAt: next }, by && { by, now: now() })))
          return again;
        if (isBeingOpened) return;
        at("aborting");
        await poller.see({ upload: { ...upload, state: "aborting", outcome }, node });
      })
      .catch(unlessOurs); // logged; the sweeper continues
    const upload = await uploads.find(db, id);
    return upload && ({ outcome: upload.state } as const);
  }

  /**
   * The client says that the node rejected its bytes: the upload is aborted. If the reason was lack of space, the
   * client gets other nodes for a while. If it may have been, a test write finds out whether everyone should.
   */
  async function fail(id: string, put: FailedPut, by?: ActorWithDetails) {
    const ended = await abort(id, saysFull(put) ? "refused" : "failed", by);
    const upload = mayBeFull(put) && ended && isAborted(ended.outcome) ? await uploads.find(db, id) : undefined;
    if (upload) doubt(upload.nodeId, upload.size);
    return ended;
  }

  return { complete, abort, fail };
}

const isAborted = (state: uploads.Upload["state"]) => state === "aborting" || state === "aborted";

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
