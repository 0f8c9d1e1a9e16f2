import type { Broadcast } from "../../../db/broadcasts/broadcasts";
import { handedOver, path, reasonOf, titleOf } from "../../../views/dashboard/broadcasts/state";
import type { Warning } from "../../../views/dashboard/overview/attention";
import { number } from "../../../views/components/list";

/** Paused broadcasts, which need a decision. */
export const pausedLines = (underWay: Broadcast[]): Warning[] =>
  underWay
    .filter(({ state }) => state === "paused")
    .map((broadcast) => ({
      icon: "pause",
      isStop: true,
      text: (
        <>
          <strong>“{titleOf(broadcast)}” is paused:</strong> {reasonOf(broadcast)}. {number(handedOver(broadcast))} of{" "}
          {number(broadcast.audience ?? 0)} people have it.
        </>
      ),
      link: { href: `${path}/${broadcast.id}`, text: "Review" },
    }));
