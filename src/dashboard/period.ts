import { z } from "zod";
import type { Period } from "../../db/lib/rows";
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
export const ChartQuery = z.object({ days: z.enum(["7", "30", "90", "365", "all"]).catch("30").default("30") });
export type ChartPeriod = z.infer<typeof ChartQuery>["days"];

/** Returns the first day of a period that ends today. */
export const firstDayOf = (period: ChartPeriod, today: number) => (period === "all" ? 0 : today - Number(period) + 1);
