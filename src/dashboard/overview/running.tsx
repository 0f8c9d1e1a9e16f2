import type { Broadcast } from "../../../db/broadcasts/broadcasts";
import { underWay } from "../../../db/broadcasts/list";
import { Running } from "../../../views/dashboard/overview/overview";
import type { Deps } from "../deps";
import { leftOf } from "../broadcasts/run";
import { part } from "../responses";

/** The broadcasts being sent, for Overview. */
export const runsOf = ({ db, now }: Deps, broadcasts: Broadcast[]) =>
  Promise.all(
    broadcasts
      .filter(({ state }) => state === "sending")
      .map(async (broadcast) => ({ broadcast, left: (await leftOf(db, broadcast, now()))?.words })),
  );

export const showRunning = async (deps: Deps) => part(<Running runs={await runsOf(deps, await underWay(deps.db))} />);
