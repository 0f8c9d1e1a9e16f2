import type { Db } from "../../../db/engine/open";
import * as trash from "../../../db/storage/trash";
import * as variants from "../../../db/storage/variants";
import type { StorageNode } from "../../../db/storage/nodes/nodes";
import { described, type Log } from "../../platform/log";
import type { CallNode } from "../nodes/access";
import { isTimeout } from "../s3/errors";
import type { S3 } from "../s3/s3";
import * as inventory from "../../../db/storage/nodes/inventory";
import { isDatabaseFault } from "../../../db/engine/errors";
import { Background } from "../../../db/async/background";
import { underLease } from "../../../db/ops/leases";
import * as storageNodes from "../../../db/storage/nodes/nodes";
import * as uploads from "../../../db/storage/uploads";

type Needs = { db: Db; log: Log; now: () => Date; callNode: CallNode };

const every = 10 * 60_000; // milliseconds: for each file that is being downloaded, and each node with lost files

/**
 * Permanently deletes the node's files whose time in the trash is over: first the object, and the sizes made of it, then
 * the row and its bytes.
 * Deleting what is already gone is not an error, so the next round repairs a crash in between. MinIO deletes no object
 * while someone downloads it: such a file is left for later.
 */
export function purger({ db, log, now, callNode }: Needs) {
  const waitingSince = new Map<string, number>(); // by file
  const isWaiting = (id: string) => Math.abs(now().getTime() - (waitingSince.get(id) ?? -Infinity)) < every;

  return async function purgeDue(node: StorageNode): Promise<void> {
    for (const { id, objectKey } of await trash.due(db, node.id, now())) {
      if (isWaiting(id)) continue;
      try {
        const sizes = await variants.keysMadeOf(db, objectKey);
        const remove = async (s3: S3) => {
          for (const key of [...sizes, objectKey]) await s3.remove(key);
        };
        await callNode(node, remove, { mayWait: true });
        if (await trash.deletePurged(db, id)) log.info("file purged", { id, node: node.name });
        waitingSince.delete(id);
      } catch (error) {
        if (isTimeout(error)) waitingSince.set(id, now().getTime());
        log.warn("purge failed", { id, node: node.name, ...described(error) });
        return; // the next round goes on, with this file unless it waits
      }
    }
  };
}

const atOnce = 20;

/**
 * Looks for the objects of lost files: for some of them from time to time, and for all of them once one has reappeared,
 * because then the disk is back. Those that are unchanged become files again.
 */
export function finder({ db, log, now, callNode }: Needs) {
  const rounds = new Map<string, { at: number; after: string }>();

  /** Returns how many files of the batch are back. */
  const look = (node: StorageNode, batch: inventory.LostFile[]): Promise<number> =>
    callNode(node, async (s3) => {
      let back = 0;
      for (const { id, objectKey } of batch) {
        const object = await s3.stat(objectKey);
        if (object && (await inventory.restoreLost(db, { id, ...object }, { actor: "system" }, now()))) back++;
      }
      return back;
    });

  return async function find(node: StorageNode): Promise<void> {
    const { at, after: start } = rounds.get(node.id) ?? { at: -Infinity, after: "" };
    if (Math.abs(now().getTime() - at) < every) return;
    let all = 0;
    for (let after = start, isBack = true; isBack;) {
      const batch = await inventory.lostFiles(db, node.id, after, atOnce);
      after = batch.length === atOnce ? (batch.at(-1)?.id ?? "") : ""; // after the last one, starts again with the first
      rounds.set(node.id, { at: now().getTime(), after });
      const back = batch.length ? await look(node, batch).catch(() => 0) : 0; // `look` logs the failure
      isBack = back > 0;
      all += back;
    }
    if (all) log.info("lost files are back", { node: node.name, files: all });
  };
}

type Options = {
  db: Db;
  log: Log;
  now: () => Date;
  /** Whether this process is the one that does it. */
  mayWork: () => Promise<boolean>;
  look: (id: string) => Promise<void>;
  /** Deletes the node's files whose time in the trash is over. */
  purge: (node: storageNodes.StorageNode) => Promise<void>;
  /** Looks for lost files that have reappeared. */
  findLost: (node: storageNodes.StorageNode) => Promise<void>;
};

const maxConcurrentLooks = 8; // per node
const maxFailures = 3; // in a row; then the rest of the round is left for later

/** Checks every upload that is due, and deletes files whose time is over. A slow node holds up only its own uploads. */
export function sweeper({ db, log, now, mayWork, look, purge, findLost }: Options) {
  const rounds = new Map<string, Promise<void>>();
  const failed = (error: unknown) => log.error("sweep failed", described(error));
  const background = new Background(failed);
  const { signal } = background;

  /** One round over all nodes; resolves when everything that was due has been checked. */
  async function sweep(): Promise<void> {
    const nodes = await storageNodes.list(db);
    const reachable = nodes.filter((node) => node.state !== "down" && !storageNodes.isPaused(node, now()));
    await Promise.all(reachable.map((node) => rounds.get(node.id) ?? begin(node)));
  }

  function begin(node: storageNodes.StorageNode): Promise<void> {
    const round = sweepNode(node).finally(() => rounds.delete(node.id));
    rounds.set(node.id, round);
    return round;
  }

  async function sweepNode(node: storageNodes.StorageNode): Promise<void> {
    const due = await uploads.due(db, node.id, now());
    let failures = 0;
    const worker = async () => {
      for (let next = due.shift(); next && failures < maxFailures && !signal.aborted; next = due.shift())
        await look(next.id).then(
          () => (failures = 0),
          (error) => {
            failures++; // the next round looks again
            if (isDatabaseFault(error) && !background.isAbandoned) failed(error); // failures of a node are logged where it is called
          },
        );
    };
    await Promise.all(Array.from({ length: maxConcurrentLooks }, worker));
    if (failures >= maxFailures || signal.aborted) return;
    await purge(node);
    await findLost(node);
  }

  return {
    sweep,
    start: () => background.every(1_000, () => underLease(mayWork, sweep)),
    /** Checks that have begun are finished, unless their node takes too long. The rest is left for the next start. */
    close: () => background.close(),
  };
}
