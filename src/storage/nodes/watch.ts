import { underLease } from "../../../db/ops/leases";
import { described, type Log } from "../../telemetry/log";

type Nodes = { testAll(): Promise<void>; revive(): Promise<void> };

const reviveEvery = 5_000; // milliseconds
const testEvery = 5 * 60_000;

/**
 * Looks after the nodes beside the requests: rested ones come back, and each is tried out now and then.
 *
 * @param mayWork whether it is this process that does it
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
    /** A probe under way is not waited for: it may wait for a silent node. */
    close(): void {
      isOpen = false;
      timers.forEach(clearInterval);
    },
  };
}
