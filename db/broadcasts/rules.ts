import type { Broadcast } from "./broadcasts";

/* What can still happen to a broadcast, by its state. A resumed or repeated one is "sending" again. */

type State = Broadcast["state"];

/** Confirmed and not over: these can be cancelled. */
export const openStates: readonly State[] = ["scheduled", "sending", "paused"];
/** Sending has begun, so someone may have it. */
export const startedStates: readonly State[] = ["sending", "paused", "sent", "cancelled"];
/** No one else gets it, unless a manager sends it again. */
export const endedStates: readonly State[] = ["sent", "cancelled"];

/** Whether it is confirmed and not over. */
export const isOpen = ({ state }: Pick<Broadcast, "state">): boolean => openStates.includes(state);
/** Whether no one else gets it. */
export const isEnded = ({ state }: Pick<Broadcast, "state">): boolean => endedStates.includes(state);
