import { z } from "zod";
import type { Period } from "../../db/lib/period";
import { managerFor } from "../security/session/session";
import { preferencesOf } from "./preferences";

const day = z.iso.date().catch("").default("");

/** What the URL of a list says about a period, in whole days. */
export const periodFields = { from: day, to: day };

/** The days as the manager's clock has them. */
export const periodOf = ({ from, to }: { from: string; to: string }, timeZone: string): Period => ({
  from: from ? startOfDay(from, timeZone) : undefined,
  until: to ? startOfDay(to, timeZone, 1) : undefined,
});

/** The time zone that the manager reads times in. */
export const timeZoneOf = (request: Request): string =>
  preferencesOf(managerFor(request).manager.preferences, request).timeZone;

/** When the day began in that time zone, `daysLater` days after that date. */
function startOfDay(date: string, timeZone: string, daysLater = 0): Date {
  const start = Temporal.PlainDate.from(date).add({ days: daysLater }).toZonedDateTime(timeZone);
  return new Date(start.epochMilliseconds);
}
