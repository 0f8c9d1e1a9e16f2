import { z } from "zod";
import type { Period } from "../../db/lib/sql";
import { managerFor } from "../security/session/session";
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
