import { underLease } from "../../../db/ops/leases";
import { described, type Log } from "../../telemetry/log";

type Nodes = { testAll(): Promise<void>; revive(): Promise<void> };

const reviveEvery = 5_000; // milliseconds
const testEvery = 5 * 60_000;

/**
 * Watches the nodes in the background: resumes paused ones, and probes each from time to time.
 *
 * @param mayWork whether this process is the one that does it
 */
export function nodeWatch(nodes: Nodes, log: Log, mayWork: () => Promise<boolean>) {
  const timers: Timer[] = [];
  let isOpen = true;
  const attempt = (work: () => Promise<void>) => () =>
    void underLease(mayWork, work).catch((error) => isOpen && log.error("storage probe", described(error)));

  return {
    start(): void {
      const testAll = attempt(() => nodes.testAll());
      testAll();
      timers.push(
        setInterval(
          attempt(() => nodes.revive()),
          reviveEvery,
        ),
        setInterval(testAll, testEvery),
      );
    },
    /** Does not wait for a probe in progress, which may be waiting for an unresponsive node. */
    close(): void {
      isOpen = false;
      timers.forEach(clearInterval);
    },
  };
}
