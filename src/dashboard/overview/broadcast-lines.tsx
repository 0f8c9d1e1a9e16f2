import type { Broadcast } from "../../../db/broadcasts/broadcasts";
import { handedOver, path, reasonOf, titleOf } from "../../../views/dashboard/broadcasts/state";
import type { Warning } from "../../../views/dashboard/overview/overview";
import { number } from "../../../views/components/list";

/** What is paused, which needs somebody, and then what is being sent. */
export const broadcastLines = (underWay: Broadcast[]): Warning[] =>
  [...underWay]
    .sort((a, b) => Number(b.state === "paused") - Number(a.state === "paused"))
    .map((broadcast) => {
      const done = `${number(handedOver(broadcast))} of ${number(broadcast.audience ?? 0)} people`;
      const link = { href: `${path}/${broadcast.id}`, text: "View broadcast" };
      if (broadcast.state === "paused")
        return { text: `“${titleOf(broadcast)}” is paused at ${done}: ${reasonOf(broadcast)}.`, link };
      const text = `“${titleOf(broadcast)}” is being sent: ${done} so far.`;
      return { icon: "megaphone", isInfo: true, text, link };
    });
