import type { Broadcast } from "../../../../db/broadcasts/broadcasts";
import type { Frame } from "../../../components/frame";

/** A confirmed broadcast, as its pages show it. */
export type RunView = {
  frame: Frame;
  broadcast: Broadcast;
  audienceWords: string;
  from: { address: string; name: string };
  /** "About 27 minutes", and when that is over; undefined until a pace is known. */
  left: { words: string; endsAt: Date; perSecond: number } | undefined;
  /** The people whose email is on its way to the provider at this moment: its response decides. */
  underWay: number;
  /** The post has changed since it was frozen. */
  isPostNewer: boolean;
};

/** A start that is sooner is called "now". */
export const minuteMs = 60_000;
