import type { Broadcast } from "../../../db/broadcasts/broadcasts";
import { countsSince } from "../../../db/daily-counts";
import { dayOf } from "../../../db/lib/time";
import type { DaysOfReport } from "../../../views/dashboard/broadcasts/report/report";
import { isUnsent, webPageOf } from "../../../views/dashboard/broadcasts/state";
import type { Deps } from "../deps";
import { filled } from "../visits/visits";

const daysShown = 14;

/** What happened on each day since it was sent. Empty if nothing was. */
export async function daysOfReport({ db, now }: Deps, broadcast: Broadcast): Promise<DaysOfReport | undefined> {
  const { id, startedAt } = broadcast;
  if (!startedAt || isUnsent(broadcast)) return;
  const from = dayOf(startedAt);
  const to = Math.min(dayOf(now()), from + daysShown - 1);
  const counts = async (kind: "page" | "unsubscribe") => filled(await countsSince(db, kind, from, id), from, to);
  const [views, unsubscribed] = await Promise.all([counts("page"), counts("unsubscribe")]);
  return { from, unsubscribed, views: webPageOf(broadcast) ? views : undefined };
}
