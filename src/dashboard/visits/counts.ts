import { countedSince, countsSince } from "../../../db/daily-counts";
import type { Db } from "../../../db/engine/open";
import { dayOf } from "../../../db/lib/time";
import { type ChartPeriod, firstDayOf } from "../chart-period";

type Kind = Parameters<typeof countsSince>[1];

/** The count of each day in a period, from the first day on which this was counted. */
export async function countsOf(db: Db, kind: Kind, subject: string, period: ChartPeriod, at: Date) {
  const today = dayOf(at);
  const first = await countedSince(db, kind, subject);
  if (first === undefined) return { from: today, counts: [] };
  const from = Math.max(first, firstDayOf(period, today));
  return { from, counts: filled(await countsSince(db, kind, from, subject), from, today) };
}

/** Adds a 0 for each day without a row. */
export function filled(rows: { day: number; count: number }[], from: number, to: number): number[] {
  const counts = Array.from({ length: Math.max(0, to - from + 1) }, () => 0);
  for (const { day, count } of rows) if (day - from in counts) counts[day - from] = count;
  return counts;
}
