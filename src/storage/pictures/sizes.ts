import { Background } from "../../../db/async/background";
import { isDatabaseFault } from "../../../db/engine/errors";
import type { Db } from "../../../db/engine/open";
import type { StoredFile } from "../../../db/storage/files";
import { underLease } from "../../../db/ops/leases";
import * as files from "../../../db/storage/files";
import * as storageNodes from "../../../db/storage/nodes/nodes";
import * as pictures from "../../../db/storage/pictures";
import * as variants from "../../../db/storage/variants";
import { described, type Log } from "../../platform/log";
import type { CallNode } from "../nodes/access";
import { keyOf, maxPictureBytes, mayHaveSizes, type Size, sizeFor, type Wanted } from "./formats";
import { type Outcome, PictureProcess } from "./process";

type Options = {
  db: Db;
  log: Log;
  now: () => Date;
  callNode: CallNode;
  /** Milliseconds that a request waits for a picture that is being made. */
  patience: number;
};

const maxWaiting = 100; // pictures; whoever comes then gets the file as it came
const pollMs = 100; // for what another process is making
const retryMs = 10 * 60_000;

/**
 * Makes sizes of pictures when they are first asked for, one at a time, and reads what pictures are. Of several
 * requests for the same size, in this process or others, one makes it and the rest wait.
 */
export class PictureSizes {
  private readonly process = new PictureProcess();
  private readonly making = new Map<string, Promise<void>>();
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;
  private isMissing = false;
  private round: Promise<void> | undefined;
  private readonly background: Background;

  constructor(private readonly options: Options) {
    this.background = new Background((error) => options.log.error("pictures not read", described(error)));
  }

  /** Reads pictures in the background, wherever they come from. */
  start(mayWork: () => Promise<boolean>): void {
    this.background.every(1_000, () => underLease(mayWork, () => this.readDue()));
  }

  /**
   * Returns the size to show for a request, made now if need be. Undefined: the file as it came, because there are no
   * sizes of it, or because it takes too long.
   */
  async find(file: StoredFile, wanted: Wanted): Promise<{ key: string; size: Size } | undefined> {
    if (!mayHaveSizes(file)) return undefined;
    const end = Date.now() + this.options.patience;
    const read = file.picture === null ? await this.readNow(file, end) : file;
    if (!read || !mayHaveSizes(read)) return undefined;
    const size = sizeFor(wanted, read);
    const key = keyOf(read, size);
    const { db } = this.options;
    if (await variants.isReady(db, key)) return { key, size };
    await inTime(
      this.once(key, () => this.make(read, { key, size })),
      end,
    );
    while (!(await variants.isReady(db, key))) {
      if (Date.now() >= end || !(await variants.has(db, key))) return undefined;
      await Bun.sleep(pollMs); // another process is making it
    }
    return { key, size };
  }

  /** Returns the part of its pixels that stand out from a colour, 0 to 1. Undefined if that cannot be known now. */
  async standingOut(file: StoredFile, ground: string): Promise<number | undefined> {
    let outcome: Outcome | undefined;
    const look = async () => void (outcome = mayHaveSizes(file) ? await this.ask(file, null, ground) : undefined);
    await inTime(this.once(`${file.id} on ${ground}`, look), Date.now() + this.options.patience);
    return outcome?.outcome === "read" ? outcome.standsOut : undefined;
  }

  /** Reads pictures that have not been read yet. One round at a time. */
  readDue(): Promise<void> {
    return (this.round ??= this.readRound().finally(() => (this.round = undefined)));
  }

  private async readRound(): Promise<void> {
    const { db, now } = this.options;
    for (const file of this.isMissing ? [] : await pictures.unread(db, now()))
      await this.once(file.id, () => this.readFacts(file));
  }

  private async readNow(file: StoredFile, end: number): Promise<StoredFile | undefined> {
    await inTime(
      this.once(file.id, () => this.readFacts(file)),
      end,
    );
    const after = await files.findStored(this.options.db, file.id);
    return after?.picture ? after : undefined;
  }

  private async readFacts(file: pictures.PictureSource): Promise<void> {
    const { db, now } = this.options;
    if (file.size === 0 || file.size > maxPictureBytes)
      return pictures.saveFacts(db, file, { width: null, height: null, picture: "as-is" }, now());
    const outcome = await this.ask(file, null);
    if (outcome?.outcome === "read") await pictures.saveFacts(db, file, outcome.facts, now());
    else await pictures.readLater(db, file, new Date(now().getTime() + retryMs));
  }

  private async make(file: StoredFile, { key, size }: { key: string; size: Size }): Promise<void> {
    const { db, now } = this.options;
    const node = await this.nodeOf(file);
    if (!node) return;
    if (!(await variants.fits(db, file, file.size))) return; // otherwise it would be made again and again
    const claim = await variants.claim(db, { key, nodeId: file.nodeId }, now());
    if (typeof claim === "string") return;
    const outcome = await this.ask(file, size);
    if (outcome?.outcome === "read" && outcome.facts.picture !== file.picture)
      await pictures.saveFacts(db, file, outcome.facts, now());
    if (outcome?.outcome !== "read" || !outcome.bytes.length || !(await variants.fits(db, claim, outcome.bytes.length)))
      return variants.release(db, claim);
    await this.store(node, { ...claim, objectKey: file.objectKey }, { bytes: outcome.bytes, format: size.format });
  }

  /** Puts it on the node, and removes it again if it is no longer wanted there. */
  private async store(
    node: storageNodes.StorageNode,
    claim: variants.Claim & { objectKey: string },
    { bytes, format }: { bytes: Buffer<ArrayBuffer>; format: Size["format"] },
  ): Promise<void> {
    const { db, now, callNode } = this.options;
    try {
      await callNode(node, (s3) => s3.put(claim.key, bytes, `image/${format}`));
    } catch (error) {
      await variants.release(db, claim);
      throw error;
    }
    const isKept = await variants.finish(db, { ...claim, bytes: bytes.length }, now());
    if (!isKept && !(await variants.isReady(db, claim.key))) await callNode(node, (s3) => s3.remove(claim.key));
  }

  /** Has the process read the file's bytes, and records what it died of. Undefined if they cannot be had. */
  private async ask(file: pictures.PictureSource, size: Size | null, ground?: string): Promise<Outcome | undefined> {
    const { db, log } = this.options;
    const node = await this.nodeOf(file);
    const bytes = node && (await this.bytesOf(node, file));
    const outcome = bytes && (await this.process.read(bytes, size, ground));
    if (outcome?.outcome === "missing" && !this.isMissing)
      log.warn("pictures are shown as they came: sharp is not usable here", { why: outcome.why });
    if (outcome?.outcome === "missing") this.isMissing = true;
    if (outcome?.outcome === "unstarted") log.warn("the process that reads pictures did not start");
    const isGivenUp = outcome?.outcome === "killed" && (await pictures.recordFailure(db, file));
    if (isGivenUp || (outcome?.outcome === "read" && outcome.facts.picture === "unreadable"))
      log.warn("no sizes of this picture: it cannot be read", { id: file.id, filename: file.filename });
    return outcome;
  }

  private async bytesOf(node: storageNodes.StorageNode, { objectKey, size }: pictures.PictureSource): Promise<Buffer> {
    return this.options.callNode(node, async (s3) => Buffer.concat(await Array.fromAsync(s3.read(objectKey, 0, size))));
  }

  /** The node of a file, unless it does not answer at the moment. */
  private async nodeOf({ nodeId }: pictures.PictureSource): Promise<storageNodes.StorageNode | undefined> {
    const node = await storageNodes.find(this.options.db, nodeId);
    return node && node.state !== "down" && !storageNodes.isPaused(node, this.options.now()) ? node : undefined;
  }

  /** Does it in its turn, once for all who ask meanwhile. Failures are logged: nobody can do anything about them. */
  private once(key: string, work: () => Promise<void>): Promise<void> {
    const running = this.making.get(key);
    if (running) return running;
    if (this.isMissing || this.waiting >= maxWaiting) return Promise.resolve();
    this.waiting++;
    const turn = this.last.then(work).catch((error: unknown) => {
      if (isDatabaseFault(error)) this.options.log.error("picture not made", described(error)); // nodes log their own
    });
    const done = turn.finally(() => {
      this.waiting--;
      this.making.delete(key);
    });
    this.last = done;
    this.making.set(key, done);
    return done;
  }

  /** Does not wait for long. */
  async close(): Promise<void> {
    await this.background.close();
    this.process.close(); // a picture that is being read is finished, unless its node does not answer
  }
}

/** Resolves when the work is done, or at that time. */
async function inTime(work: Promise<void>, end: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timeout = setTimeout(resolve, Math.max(0, end - Date.now()));
  await Promise.race([work, promise]);
  clearTimeout(timeout);
}
