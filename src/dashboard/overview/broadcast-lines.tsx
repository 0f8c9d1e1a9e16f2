import type { Broadcast } from "../../../db/broadcasts/broadcasts";
import { ledgerOf } from "../../../db/broadcasts/ledger";
import { handedOver, path, reasonOf, titleOf } from "../../../views/dashboard/broadcasts/state";
import type { Warning } from "../../../views/dashboard/overview/overview";
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
          {number(ledgerOf(broadcast).recipients)} emails were accepted.
        </>
      ),
      link: { href: `${path}/${broadcast.id}`, text: "Review" },
    }));
