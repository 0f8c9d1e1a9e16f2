import type { uploads } from "../schema/storage";

type State = (typeof uploads.$inferSelect)["state"];

/** The states in which an upload has ended and no longer changes. As a condition: `isUnsettled`. */
export const settledStates = ["completed", "aborted"] as const satisfies State[];
export const isSettled = (state: State): boolean => state === "completed" || state === "aborted";

/** How long a URL for an upload or download is valid (spec 4.7: expiresIn 3600). */
export const urlLifetimeSeconds = 3_600;
