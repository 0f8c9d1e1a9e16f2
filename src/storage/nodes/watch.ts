import { Background } from "../../../db/async/background";
import { underLease } from "../../../db/ops/leases";
import { described, type Log } from "../../platform/log";

type Nodes = { testAll(): Promise<void>; revive(): Promise<void> };

const reviveEveryMs = 5_000;
const testEveryMs = 5 * 60_000;

/**
 * Watches the nodes in the background: resumes paused ones, and probes each from time to time.
 *
 * @param mayWork whether this process is the one that does it
 */
export function nodeWatch(nodes: Nodes, log: Log, mayWork: () => Promise<boolean>) {
  const background = new Background((error) => log.error("storage probe", described(error)));
  const testAll = () => underLease(mayWork, () => nodes.testAll());

  return {
    start(): void {
      background.run(testAll);
      background.every(reviveEveryMs, () => underLease(mayWork, () => nodes.revive()));
      background.every(testEveryMs, testAll);
    },
    /** Does not wait for long: a probe may be waiting for an unresponsive node. */
    close: () => background.close(),
  };
}
