import { z } from "zod";
import type { Period } from "../../db/lib/period";
import { managerFor } from "../security/session/session";
import { preferencesOf } from "./preferences";

const day = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/)
  .refine((text) => !Number.isNaN(Date.parse(text)))
  .catch("")
  .default("");

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

/** Midnight in that time zone, `daysLater` days after that date. */
function startOfDay(date: string, timeZone: string, daysLater = 0): Date {
  const utc = Date.parse(date) + daysLater * 86_400_000;
  const local = new Date(utc).toLocaleString("sv-SE", { timeZone }); // "2026-03-29 02:00:00"
  return new Date(utc - (Date.parse(`${local.replace(" ", "T")}Z`) - utc));
}
