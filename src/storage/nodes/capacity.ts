import type { Db } from "../../../db/engine/open";
import { Background } from "../../../db/async/background";
import * as fullness from "../../../db/storage/nodes/capacity";
import * as storageNodes from "../../../db/storage/nodes/nodes";
import { described, type Log } from "../../platform/log";
import type { S3 } from "../s3/s3";
import { isRefused, maxTrialBytes, trial, type Trial } from "./trial";

type StorageNode = storageNodes.StorageNode;
type Options = {
  db: Db;
  log: Log;
  now: () => Date;
  deadline: number;
  reach: (node: StorageNode) => Promise<S3>;
};

const trialIntervalMs = 5 * 60_000; // per node: in that time, clients' doubts cost at most 73 MiB
const lookIntervalMs = 10_000;

/**
 * Finds out how much space the nodes really have (docs/decisions/storage-nodes.md). No report is trusted: any doubt
 * leads to reading the server's own figures, and to a test write.
 */
export class CapacityMonitor {
  private readonly triedAt = new Map<string, number>();
  private readonly lookedAt = new Map<string, number>();
  private readonly doubts = new Background((error) => this.failed(error));
  private readonly retrying = new Set<string>();

  constructor(private readonly deps: Options) {}

  /**
   * Reads the server's own figures, and verifies a quota that may be turned off. @throws if it does not respond; the
   * figures of before then stay
   */
  async look({ id, endpoint }: Pick<StorageNode, "id" | "endpoint">, s3: S3): Promise<number | undefined> {
    const { db, now, deadline } = this.deps;
    this.lookedAt.set(id, now().getTime());
    const reported = await s3.reportedFree();
    const isTrue =
      reported && (reported.isCertain || (await isRefused(endpoint, s3, reported.bytes + maxTrialBytes, deadline)));
    const bytes = isTrue ? reported.bytes : undefined;
    await fullness.setReportedFree(db, id, bytes ?? null);
    return bytes;
  }

  /** The same, for a node that is not connected yet. */
  async lookAt(node: StorageNode): Promise<number | undefined> {
    return this.look(node, await this.deps.reach(node));
  }

  async keep(node: StorageNode, outcome: Trial): Promise<void> {
    const { db, log, now } = this.deps;
    const { taken, refused } = outcome;
    if (!refused) return;
    const { bytes, code } = refused;
    await fullness.markFull(db, node.id, { bytes: taken && taken + 1, tried: bytes, because: code }, now());
    log.warn("storage node is full", { node: node.name, taken, refused: bytes, code });
  }

  /** Someone reports, or it seems, that the node rejected an upload of this size. Verified in the background. */
  doubt(id: string, size: number): void {
    this.doubts.run(() => this.examine(id, size));
  }

  /** Resolves when no doubt is being verified. */
  settled(): Promise<void> {
    return this.doubts.settled();
  }

  /** Verifies no more doubts. */
  close(): Promise<void> {
    return this.doubts.close();
  }

  /** Tests the full nodes that are due. One that is still being tested is not tested twice. */
  async retryDue(): Promise<void> {
    const { db, now } = this.deps;
    const due = (await fullness.toRetry(db, now())).filter(({ id }) => !this.retrying.has(id));
    for (const { id } of due) this.retrying.add(id);
    await Promise.all(due.map((node) => this.logged(this.retry(node)).finally(() => this.retrying.delete(node.id))));
  }

  /**
   * Asks the nodes again before an upload is rejected because of figures they reported. Returns false if none was
   * asked.
   */
  async lookAgain(): Promise<boolean> {
    const doubtful = (await storageNodes.list(this.deps.db)).filter(
      ({ id, state, toldFreeBytes }) =>
        state === "active" && toldFreeBytes !== null && this.isDue(this.lookedAt, id, lookIntervalMs),
    );
    await Promise.all(doubtful.map((node) => this.logged(this.lookAt(node))));
    return doubtful.length > 0;
  }

  private isDue(last: Map<string, number>, id: string, intervalMs: number): boolean {
    return Math.abs(this.deps.now().getTime() - (last.get(id) ?? -Infinity)) >= intervalMs;
  }

  private logged(work: Promise<unknown>): Promise<unknown> {
    return work.catch((error: unknown) => this.failed(error));
  }

  private failed(error: unknown): void {
    if (!this.doubts.isAbandoned) this.deps.log.warn("storage trial", described(error));
  }

  private async examine(id: string, size: number): Promise<void> {
    const { db, now, deadline, reach } = this.deps;
    const node = await storageNodes.find(db, id);
    if (!node || node.state === "down" || !this.isDue(this.triedAt, id, trialIntervalMs)) return;
    this.triedAt.set(id, now().getTime());
    const s3 = await reach(node);
    const reported = await this.look(node, s3).catch(() => undefined); // the trial decides then
    if (reported !== undefined && reported < size) return; // the server reports the lack of space itself
    const outcome = await trial(node.endpoint, s3, size, deadline);
    if (outcome) await this.keep(node, outcome);
  }

  /** A node that accepts 64 MiB again, or more if more was refused, is no longer full. */
  private async retry(node: StorageNode): Promise<void> {
    const { db, log, now, deadline, reach } = this.deps;
    const { id, name, refusedBytes, retryBytes } = node;
    this.triedAt.set(id, now().getTime());
    const s3 = await reach(node);
    await this.look(node, s3).catch(() => undefined);
    const outcome = await trial(node.endpoint, s3, Math.max(maxTrialBytes, retryBytes ?? 0), deadline);
    const asBefore = { bytes: refusedBytes ?? 0, tried: retryBytes ?? maxTrialBytes, because: "" };
    if (!outcome) return fullness.markFull(db, id, asBefore, now());
    if (outcome.refused) return this.keep(node, outcome);
    await fullness.markNotFull(db, id, now());
    log.info("storage node has space again", { node: name });
  }
}
