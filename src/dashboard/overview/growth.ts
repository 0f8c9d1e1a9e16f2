import type { Db } from "../../../db/engine/open";
import { dayOf } from "../../../db/lib/time";
import { type Growth, growthSince, type SubscriberDay } from "../../../db/newsletter/growth";
import type { GrowthDay, GrowthView } from "../../../views/dashboard/overview/growth";
import { type ChartPeriod, firstDayOf } from "../period";

/** How the list grew in a period, from the first day with any data. */
export async function growthOf(db: Db, period: ChartPeriod, at: Date): Promise<Omit<GrowthView, "dates">> {
  const today = dayOf(at);
  const first = firstDayOf(period, today);
  const growth = await growthSince(db, first);
  const from = Math.min(Math.max(first, growth.firstDay ?? today), today);
  return { period, active: growth.active, sources: growth.sources, days: totalsOf(growth, from, today) };
}

const none = { joined: 0, imported: 0, unsubscribed: 0, suppressed: 0, deleted: 0, added: 0 };

/** Each day with the number of active subscribers at its end, counted back from today's. */
function totalsOf({ active, days }: Pick<Growth, "active" | "days">, from: number, to: number): GrowthDay[] {
  const changes = new Map<number, SubscriberDay>(days.map((day) => [day.day, day]));
  const all: GrowthDay[] = [];
  let total = active;
  for (let day = to; day >= from; day--) {
    const change = changes.get(day) ?? { ...none, day };
    all.push({ ...change, total: Math.max(0, total) });
    total -= change.joined - change.unsubscribed - change.suppressed - change.deleted;
  }
  return all.reverse();
}
