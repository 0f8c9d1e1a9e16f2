import { Background } from "../../db/async/background";
import { stoppable } from "../../db/engine/open";
import { lease, underLease } from "../../db/ops/leases";
import { described } from "../platform/log";
import type { Needs } from "./watch";

const minuteMs = 60_000;

/**
 * Checks every minute, in one of several processes. What the checks need is loaded with the first one, so that no start
 * waits for it.
 */
export function startAlerts({ config, db, log, now }: Needs, everyMs = minuteMs): Background {
  const background = new Background((error) => log.error("alerts", described(error)));
  const { signal } = background;
  const needs = { config, db: stoppable(db, signal), log, now };
  const mayCheck = lease(db, "alerts", now);
  let watch: Promise<() => Promise<void>> | undefined;
  let isBusy = false; // a host may answer late
  const check = async () => (await (watch ??= import("./watch").then(({ watcher }) => watcher(needs, signal))))();
  background.every(everyMs, async () => {
    if (isBusy) return;
    isBusy = true;
    await underLease(mayCheck, check).finally(() => (isBusy = false));
  });
  return background;
}
