import { dayMs } from "../../db/lib/time";

/** Formats a moment for a datetime-local field in this time zone: "2026-11-21T18:41". */
export const localTime = (at: Date, timeZone: string): string =>
  at.toLocaleString("sv-SE", { ...parts, timeZone }).replace(" ", "T");

const parts = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" } as const;

/**
 * Parses a datetime-local field in this time zone; undefined if it is not a time. When the clock jumps, an hour that
 * does not exist means the one after it, and an hour that occurs twice means the first.
 */
export function momentOf(local: string, timeZone: string): Date | undefined {
  if (!/^[1-9]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(local)) return; // a year of fewer than four digits is a slip
  const asUtc = Date.parse(`${local}:00Z`);
  if (Number.isNaN(asUtc) || localTime(new Date(asUtc), "UTC") !== local) return; // 30 February would become 2 March
  const ahead = (at: number) => Date.parse(`${localTime(new Date(at), timeZone)}:00Z`) - at;
  const before = ahead(asUtc - dayMs);
  const after = ahead(asUtc + dayMs);
  const isShown = (offset: number) => localTime(new Date(asUtc - offset), timeZone) === local;
  return new Date(asUtc - ([before, after].find(isShown) ?? before));
}

/** Returns when each of the last `count` days began in that time zone, today's last: some have 23 hours, some 25. */
export function daysUntil(at: Date, count: number, timeZone: string): Date[] {
  const today = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone).startOfDay();
  return Array.from({ length: count }, (_, i) => {
    const start = today.subtract({ days: count - 1 - i }).startOfDay();
    return new Date(start.epochMilliseconds);
  });
}
