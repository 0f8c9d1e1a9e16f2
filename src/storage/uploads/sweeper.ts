import type { Db } from "../../../db/engine/open";
import { isDatabaseFault } from "../../../db/engine/errors";
import { Background } from "../../../db/async/background";
import { underLease } from "../../../db/ops/leases";
import * as storageNodes from "../../../db/storage/nodes/nodes";
import * as uploads from "../../../db/storage/uploads";
import { described, type Log } from "../../platform/log";

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
            failures++; // the row keeps its place
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
