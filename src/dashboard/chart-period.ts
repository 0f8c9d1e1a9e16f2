import { z } from "zod";

/** The parameter `?days=` of a page with a chart. */
export const ChartQuery = z.object({ days: z.enum(["7", "30", "90", "365", "all"]).catch("30").default("30") });
export type ChartPeriod = z.infer<typeof ChartQuery>["days"];

/** Returns the first day of a period that ends today. */
export const firstDayOf = (period: ChartPeriod, today: number) => (period === "all" ? 0 : today - Number(period) + 1);
