import { contextOf } from "../../platform/request-context";
import { type Limits, limits as limitOf } from "../limits/limits";

/**
 * Counts a press of a button that puts someone on the list. The page's link authorises it, but each press is stored, so
 * it shares the limit of subscribing. Returns how many seconds to wait; undefined if it may be pressed now.
 */
export async function secondsToWait({ limits }: { limits: Limits }, request: Request): Promise<number | undefined> {
  const context = contextOf(request);
  const refusal = await limits.admit(limitOf.subscribe, context);
  await Promise.all(context.pending.splice(0)); // awaited here, so that a failure is shown on a page
  return refusal && Number(context.headers["retry-after"]);
}
