import type { ActorWithDetails } from "../../../db/audit";
import type { Db } from "../../../db/engine/open";
import { isDatabaseFault } from "../../../db/engine/errors";
import { isFull } from "../../../db/storage/nodes/capacity";
import type { Repeatable } from "../../../db/storage/repeated";
import * as reservations from "../../../db/storage/reservations";
import { find, type StorageNode } from "../../../db/storage/nodes/nodes";
import * as uploads from "../../../db/storage/uploads";
import type { Calls } from "../../telemetry/storage-metrics";
import type { CallNode } from "../nodes/access";
import { answering, SilentNodes } from "../nodes/answering";
import type { OwnDisks } from "../nodes/own-disk";
import { type At, type Grant, grantOf, type NoSpace, urlOf } from "./plan";
import { isRefusal, isTimeout } from "../s3/errors";
import type { Resumption } from "./resume";

type Options = {
  db: Db;
  now: () => Date;
  callNode: CallNode;
  at: At;
  calls: Calls;
  /** Probes a node, to learn what it is. */
  test: (node: StorageNode) => Promise<unknown>;
  /** Asks the nodes again that reported a lack of space; false if none was asked. */
  lookAgain: () => Promise<boolean>;
  disks: OwnDisks;
  /** Milliseconds that a node may take to open an upload before another one is used instead, if there is one. */
  patience: number;
};

/** The upload of an earlier request with the same key. "conflict": the key was used for a different request. */
type Before = "conflict" | { before: uploads.Upload };

type NewUpload = reservations.NewUpload;
/** `by`: the manager named in the audit log (D40). `repeatable`: there is one reservation for each key. */
type Asked = { by?: ActorWithDetails | undefined; repeatable?: Repeatable | undefined };
type Taken = Extract<reservations.Reserved, { outcome: "reserved" }>;

/** Reserves space and opens uploads at the nodes. */
export class Reserver {
  private readonly wakeAttempts = new Map<string, Promise<Grant | undefined>>(); // by node

  private readonly areAnswering: () => Promise<boolean>;
  private readonly silent: SilentNodes;

  constructor(private readonly deps: Options) {
    this.areAnswering = answering(deps);
    this.silent = new SilentNodes(deps.now);
  }

  /**
   * Reserves space and opens the upload at a node. If a node fails, its bytes are released and the next one that fits
   * is tried; those that keep an upload waiting and paused nodes come last.
   *
   * @throws if a node with space could not be used
   */
  async reserve(input: NewUpload, asked: Asked & { repeatable?: undefined }): Promise<Grant | NoSpace>;
  async reserve(input: NewUpload, asked: Asked): Promise<Grant | NoSpace | Before>;
  async reserve(input: NewUpload, { by, repeatable }: Asked): Promise<Grant | NoSpace | Before> {
    const { db, now, test, lookAgain } = this.deps;
    const tried: string[] = [];
    let isLookedAgain = false;
    for (let areIdentified = false; ;) {
      const taken = await this.take(input, tried, repeatable);
      if (taken.outcome === "conflict") return "conflict";
      if (taken.outcome === "repeated") return { before: taken.upload };
      if (taken.outcome === "reserved") {
        tried.push(taken.node.id); // it may have answered another upload since, and is not silent then
        const mayLeave = () => reservations.hasNode(db, input, [...tried, ...this.silent.list()], now());
        const grant = await this.openOrLeave(taken, mayLeave, by);
        if (grant) return grant;
      } else if (taken.outcome === "paused") {
        const again = () => reservations.reserve(db, input, { tried, mayUsePaused: true, repeatable }, now());
        const woken = await this.wake(taken.node, again, by);
        if (typeof woken === "object") return woken;
        if (!woken) tried.push(taken.node.id);
      } else if (taken.outcome === "parts-only" && taken.unidentified.length && !areIdentified) {
        await Promise.all(taken.unidentified.map(test));
        areIdentified = true;
      } else if (taken.outcome === "parts-only" && !taken.unidentified.length)
        return taken.isForWantOfMd5 ? "parts-or-md5" : "parts-only";
      else if (taken.outcome === "full" && !tried.length && !isLookedAgain && (await lookAgain())) isLookedAgain = true;
      else if (taken.outcome === "full" && (await this.areFull(tried))) return "full";
      else throw new Error("No responding storage node has enough space");
    }
  }

  /**
   * Reserves space: on a silent node only if no other one can take the upload, and then not on the one silent longest.
   */
  private async take(input: NewUpload, tried: string[], repeatable?: Repeatable): Promise<reservations.Reserved> {
    const { db, now } = this.deps;
    const silent = this.silent.list();
    for (let count = silent.length; ; count--) {
      const avoided = [...tried, ...silent.slice(0, count)];
      const taken = await reservations.reserve(db, input, { tried: avoided, repeatable }, now());
      if (count === 0 || ["reserved", "repeated", "conflict"].includes(taken.outcome)) return taken;
    }
  }

  /**
   * Opens the upload. If the node does not respond for a while, and `mayLeave` it for another one, the reservation there
   * is given up: an upload that it still opens is aborted by `open`, or by the sweeper.
   */
  private async openOrLeave(taken: Taken, mayLeave: () => Promise<boolean>, by?: ActorWithDetails) {
    const { db, now, patience } = this.deps;
    const { upload, node } = taken;
    const opening = this.open(taken, by);
    if (!(await isLate(opening, patience))) return opening;
    this.silent.add(node.id);
    opening.then((grant) => grant && this.silent.answered(node.id)).catch(() => undefined);
    const told = this.silent.nextTimeout(node.id);
    const hasJustFailed = ((await find(db, node.id)) ?? node).failures > 0; // and is given no more time than one that is paused
    if (!hasJustFailed && !(await mayLeave()) && !(await isBefore(told, opening))) return opening;
    const next = new Date(now().getTime() + uploads.openTimeoutMs);
    return (await uploads.startAborting(db, upload, { outcome: "no answer", nextCheckAt: next })) ? undefined : opening;
  }

  /** Whether the nodes that were tried reported a lack of space, and the others answer. */
  private async areFull(tried: string[]): Promise<boolean> {
    const nodes = await Promise.all(tried.map((id) => find(this.deps.db, id)));
    return nodes.every((node) => node && isFull(node)) && this.areAnswering();
  }

  /**
   * If every node with space is paused, the upload itself tests whether one is back, one upload at a time, and does not
   * wait for long: a late answer ends the pause for the next one. Returns true if another upload found that it is back.
   */
  private async wake(
    { id }: StorageNode,
    take: () => Promise<reservations.Reserved>,
    by?: ActorWithDetails,
  ): Promise<Grant | boolean> {
    const running = this.wakeAttempts.get(id);
    if (running) return (await running.catch(() => undefined)) !== undefined;
    const mine = take().then((taken) =>
      taken.outcome === "reserved" ? this.openOrLeave(taken, async () => true, by) : undefined,
    );
    this.wakeAttempts.set(id, mine);
    try {
      return (await mine) ?? false;
    } finally {
      this.wakeAttempts.delete(id);
    }
  }

  /**
   * Returns undefined if the node fails; the reservation is then rolled back. If requests with the same key open it at
   * the same time, the row takes the upload of one, and all get its URL.
   */
  private async open({ upload, node, isRepeated }: Taken, by?: ActorWithDetails): Promise<Grant | undefined> {
    const { db, now, callNode, at, disks } = this.deps;
    const { id, objectKey, mimeType } = upload;
    at("reserved");
    const opened = await callNode(node, async (s3) => {
      await disks.confirmNow(node, s3);
      const providerUploadId = await s3.initiate(objectKey, mimeType, id);
      at("initiated");
      const isFirst = await uploads.markOpen(db, { id, providerUploadId }, now(), by);
      if (!isFirst) await s3.abort(objectKey, providerUploadId);
      else if (isRepeated) await s3.abortOthers(objectKey, providerUploadId);
      const current = isFirst ? { ...upload, state: "open", providerUploadId } : await uploads.find(db, id);
      if (current?.state !== "open" || !current.providerUploadId) return {};
      return { uploadUrl: urlOf(s3, upload, current.providerUploadId) };
    }).catch((error) => this.rollBack(upload, error));
    if (!opened) return undefined;
    if (!opened.uploadUrl) throw new Error("The reservation was aborted before the provider responded");
    at("opened");
    return grantOf(upload, opened.uploadUrl);
  }

  /**
   * Unless the node rejected the call, it may have opened the upload, or still do so: the sweeper looks for it in a
   * minute.
   */
  private async rollBack(upload: uploads.Upload, error: unknown): Promise<undefined> {
    const { db, now, calls } = this.deps;
    if (isRefusal(error)) {
      if (await uploads.settle(db, upload, { state: "aborted", outcome: "refused" }, now()))
        calls.ended("aborted", upload.size);
    } else
      await uploads.startAborting(db, upload, {
        outcome: "no answer",
        nextCheckAt: new Date(now().getTime() + uploads.openTimeoutMs),
      });
    if (isTimeout(error)) this.silent.timedOut(upload.nodeId);
    if (isDatabaseFault(error)) throw error; // another node would not help
  }
}

/** Whether the work takes longer than that, whatever becomes of it. */
async function isLate(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: Timer | undefined;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, milliseconds)));
  return isBefore(late, work).finally(() => clearTimeout(timer));
}

/** Whether the moment comes before the work ends, whatever becomes of it. */
function isBefore(moment: Promise<unknown>, work: Promise<unknown>): Promise<boolean> {
  const ended = () => false;
  return Promise.race([work.then(ended, ended), moment.then(() => true)]);
}

type RepeatOptions = { reserver: Reserver; grantAgain: Resumption["grantAgain"] };

/**
 * "conflict": the key was used for a different request. `complete`: all bytes of the upload with this ID have arrived.
 */
export type Repeated = Grant | NoSpace | "conflict" | { complete: string };

/**
 * A reservation whose request may be repeated for a day: the same key gets the same reservation with a fresh URL,
 * unless it was aborted. Requests that arrive at this process while the first one is running share its result, so that
 * an unresponsive node is waited for once.
 */
export function repeatableReserve({ reserver, grantAgain }: RepeatOptions) {
  const underWay = new Map<string, { fingerprint: string; answer: Promise<Repeated> }>(); // by key

  async function answer(input: NewUpload, repeatable: Repeatable, by?: ActorWithDetails): Promise<Repeated> {
    const granted = await reserver.reserve(input, { by, repeatable });
    if (typeof granted === "string" || !("before" in granted)) return granted;
    const { id } = granted.before;
    const again = await grantAgain(id);
    if (again?.outcome === "signed") return again.grant;
    const state = again?.outcome === "closed" ? again.state : undefined;
    if (state === "completing" || state === "completed") return { complete: id };
    if (state === "aborting" || state === "aborted") return answer(input, repeatable, by);
    throw new Error("The upload cannot be gone on with now"); // its node's keys cannot be used, or it is being converted to multipart
  }

  /** @throws if the storage fails */
  return async (input: NewUpload, repeatable: Repeatable, by?: ActorWithDetails): Promise<Repeated> => {
    const { key, fingerprint } = repeatable;
    const other = underWay.get(key);
    if (other) return other.fingerprint === fingerprint ? other.answer : "conflict";
    const mine = { fingerprint, answer: answer(input, repeatable, by) };
    underWay.set(key, mine);
    try {
      return await mine.answer;
    } finally {
      underWay.delete(key);
    }
  };
}
