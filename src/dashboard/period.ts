import { z } from "zod";
import type { Period } from "../../db/lib/rows";
import { dayMs } from "../../db/lib/time";
import { periods } from "../../views/components/charts/period";
import { managerFor } from "../security/session";
import { preferencesOf } from "./preferences";

const day = z.iso.date().catch("").default("");

/** The parameters of a period in a list's URL, in whole days. */
export const periodFields = { from: day, to: day };

/** Returns the period in the manager's time zone. */
export const periodOf = ({ from, to }: { from: string; to: string }, timeZone: string): Period => ({
  from: from ? startOfDay(from, timeZone) : undefined,
  until: to ? startOfDay(to, timeZone, 1) : undefined,
});

/** Returns the manager's time zone. */
export const timeZoneOf = (request: Request): string =>
  preferencesOf(managerFor(request).manager.preferences, request).timeZone;

/** Returns when the day began in that time zone, `daysLater` days after that date. */
function startOfDay(date: string, timeZone: string, daysLater = 0): Date {
  const start = Temporal.PlainDate.from(date).add({ days: daysLater }).toZonedDateTime(timeZone);
  return new Date(start.epochMilliseconds);
}

/** The parameter `?days=` of a page with a chart. */
export const ChartQuery = z.object({
  days: z.enum(periods).catch("30").default("30"),
});
export type ChartPeriod = z.infer<typeof ChartQuery>["days"];

type WholeDays = { from: number; to: number };

/** Returns the days of a period. All but the last month, which is a month of the calendar, end today. */
export function daysOf(period: ChartPeriod, today: number): WholeDays {
  if (period === "last-month") return monthOf(today, 1);
  return { from: period === "all" ? 0 : today - Number(period) + 1, to: today };
}

/** Returns the period of the same length before; undefined if there is none. */
export function daysBefore(period: ChartPeriod, today: number): WholeDays | undefined {
  if (period === "all") return undefined;
  if (period === "last-month") return monthOf(today, 2);
  const { from } = daysOf(period, today);
  return { from: from - Number(period), to: from - 1 };
}

function monthOf(today: number, monthsAgo: number): WholeDays {
  const month = new Date(today * dayMs);
  const firstDayOf = (ago: number) => Date.UTC(month.getUTCFullYear(), month.getUTCMonth() - ago, 1) / dayMs;
  return { from: firstDayOf(monthsAgo), to: firstDayOf(monthsAgo - 1) - 1 };
}
