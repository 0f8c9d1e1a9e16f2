import type { ActorWithDetails } from "../../../db/audit";
import { isDatabaseFault } from "../../../db/engine/errors";
import type { Db } from "../../../db/engine/open";
import type { StorageNode } from "../../../db/storage/nodes/nodes";
import * as uploads from "../../../db/storage/uploads";
import { described, type Log } from "../../platform/log";
import type { CallNode } from "../nodes/access";
import type { CapacityMonitor } from "../nodes/capacity";
import type { S3 } from "../s3/s3";
import { type At, grantOf, isWhole, missingParts, partCount, sizeOfPart, type Status, statusOf, urlOf } from "./plan";
import { hasChanged, type Open, type Poller } from "./poller";
import { type FailedPut, mayBeFull, saysFull } from "./file-input";

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
          return hasChanged;
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

  const grantAnew = async ({ upload, node }: Open) => {
    const { state, providerUploadId } = upload;
    if (state !== "open" || !providerUploadId) return closed(upload);
    const s3 = await reach(node);
    if (!(await uploads.extendForUrls(db, upload, node, now()))) return hasChanged;
    return { outcome: "signed", grant: grantOf(upload, urlOf(s3, upload, providerUploadId)) } as const;
  };

  /** Repeats the response to the reservation, with a fresh URL, for a client that lost it. */
  const grantAgain = (id: string) => attempt(options, id, () => poller.withOpen(id, grantAnew));

  /** The same for a client whose URL of a single PUT expired. "multipart": request the URLs of parts instead. */
  const renewUrl = (id: string) =>
    attempt(options, id, () =>
      poller.withOpen(id, async (open) =>
        open.upload.partSize === null ? grantAnew(open) : ({ outcome: "multipart" } as const),
      ),
    );

  return { partUrls, renewUrl, grantAgain };
}

type Upload = uploads.Upload;
type Options = {
  db: Db;
  now: () => Date;
  callNode: CallNode;
  at: At;
  poller: Poller;
  /** The node with its keys, to sign URLs; it is not called. */
  reach: (node: StorageNode) => Promise<S3>;
  partSizeFor: (size: number) => number;
  /** Verifies whether the node accepts this size. */
  doubt: CapacityMonitor["doubt"];
};

export type PartUrl = { part: number; size: number; url: string };
type Signed = { outcome: "signed"; partSize: number; partCount: number; parts: PartUrl[]; expiresIn: number };
/** The upload accepts no more bytes: it is complete or aborted. */
type Closed = { outcome: "closed"; state: Upload["state"] };

const closed = ({ state }: Upload): Closed => ({ outcome: "closed", state });

/** Signs URLs for missing parts, and converts a single PUT to a multipart upload for that purpose. */
class PartSigner {
  constructor(private readonly deps: Options) {}

  async sign(
    open: Open,
    isWanted: (part: number) => boolean,
    max: number,
  ): Promise<Signed | Closed | typeof hasChanged> {
    const { db, now, callNode, poller, reach } = this.deps;
    if (await this.convert(open)) return hasChanged;
    const { upload } = open;
    const { objectKey, providerUploadId, partSize, size } = upload;
    if (upload.state !== "open" || !providerUploadId) return closed(upload);
    const s3 = await reach(open.node);
    const listed = () => callNode(open.node, (node) => node.listParts(objectKey, providerUploadId)); // another process has converted it
    const arrived = poller.partsOf(upload) ?? (await listed()) ?? [];
    const missing = missingParts(upload, arrived).filter(isWanted).slice(0, max);
    const parts = missing.map((part) => ({ part, size: sizeOfPart(upload, part) }));
    if (!(await uploads.extendForUrls(db, upload, open.node, now()))) return hasChanged;
    return {
      outcome: "signed",
      partSize: partSize ?? size,
      partCount: partCount(upload),
      parts: parts.map((part) => ({ ...part, url: s3.partUrl(objectKey, providerUploadId, part) })),
      expiresIn: uploads.urlLifetimeSeconds,
    };
  }

  /**
   * Converts a single PUT that has not arrived yet, or repeats what a crash, a failing node or another process has not
   * finished. Returns false if there was nothing to do; otherwise the upload has changed.
   */
  private async convert({ upload, node }: Open): Promise<boolean> {
    const { db, now, callNode, at, poller, partSizeFor } = this.deps;
    const { id, size, state, partSize, urlExpiresAt } = upload;
    const isPut = state === "open" && partSize === null;
    const isHalfway = state === "pending" && partSize !== null && urlExpiresAt !== null; // otherwise it is still being reserved
    if (!isPut && !isHalfway) return false;
    if (isPut && (await callNode(node, (s3) => this.hasArrived(upload, s3)))) return false;
    if (isPut && !(await uploads.startReopening(db, upload, partSizeFor(size), now()))) return true;
    at("reopening");
    poller.forgetParts(id);
    await callNode(node, (s3) => this.openAnew(upload, s3));
    return true;
  }

  /** Keeps bytes that arrived after the last check. */
  private async hasArrived(upload: Upload, s3: S3): Promise<boolean> {
    const parts = await s3.listParts(upload.objectKey, upload.providerUploadId ?? "");
    return parts === undefined || isWhole(upload, parts);
  }

  /**
   * Aborts the previous upload before opening another, so that its URL stops working and nothing is stored twice. If
   * several processes do this, the row takes the upload of one: the others abort theirs, and nothing else is aborted
   * before the row names an upload.
   */
  private async openAnew({ id, mimeType, objectKey, providerUploadId }: Upload, s3: S3): Promise<void> {
    const { db, now, at, poller } = this.deps;
    if (providerUploadId) await s3.abort(objectKey, providerUploadId);
    at("aborted at the provider");
    const newId = await s3.initiate(objectKey, mimeType, id);
    at("initiated");
    if (await uploads.markOpen(db, { id, providerUploadId: newId }, now())) {
      poller.beginParts(id, newId);
      await s3.abortOthers(objectKey, newId);
    } else await s3.abort(objectKey, newId);
    at("opened");
  }
}
