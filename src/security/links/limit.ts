import { contextOf } from "../../http/request-context";
import { type Limits, limits as limitOf } from "../limits/limits";

/**
 * Counts a button of a link's page that puts someone on the list: it shares the limit of subscribing, although its link
 * is the authority, because each press is kept (P257). Returns how many seconds to wait; undefined if it may be pressed.
 */
export async function secondsToWait({ limits }: { limits: Limits }, request: Request): Promise<number | undefined> {
  const context = contextOf(request);
  const refusal = await limits.admit(limitOf.subscribe, context);
  await Promise.all(context.pending.splice(0)); // awaited here, so that a failure is shown on a page
  return refusal && Number(context.headers["retry-after"]);
}
