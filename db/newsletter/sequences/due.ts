import { dayMs, hourMs } from "../../lib/time";

/* When an email of a sequence is due. Pure. */

/** How long after the email before; `atMinute`: at this minute of the person's day, so that hours are days. */
export type Wait = { waitHours: number; atMinute: number | null };

const minutesPerHour = 60;

/** Returns the zone if this machine knows it. Remembers what it asked: the answer takes longer than a row of a claim. */
export function knownZone(zone: string | null): string | undefined {
  if (!zone) return undefined;
  if (asked.size >= maxAsked) asked.clear();
  return asked.getOrInsertComputed(zone, askForZone) ? zone : undefined;
}

const asked = new Map<string, boolean>();
const maxAsked = 1_000; // there are 600

function askForZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

export const inZone = (at: Date, zone: string) =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone);

/** Returns the day since 1970 that it is in this zone. */
export const localDay = (at: Date, zone: string): number =>
  Math.round(Date.parse(`${inZone(at, zone).toPlainDate().toString()}T00:00:00Z`) / dayMs);

/**
 * Returns the time of a day, as clocks there show it. An hour that does not exist means the one after it, and an hour
 * that occurs twice means the first.
 */
export function timeOn(day: Temporal.PlainDate, minute: number, zone: string): Date {
  const plainTime = { hour: Math.floor(minute / minutesPerHour), minute: minute % minutesPerHour };
  return new Date(
    day.toPlainDateTime(plainTime).toZonedDateTime(zone, { disambiguation: "compatible" }).epochMilliseconds,
  );
}

/** Returns when an email is due whose wait begins at `from`. Never earlier than that. */
export function dueAfter(from: Date, { waitHours, atMinute }: Wait, zone: string): Date {
  if (atMinute === null) return new Date(from.getTime() + waitHours * hourMs);
  const day = inZone(from, zone)
    .toPlainDate()
    .add({ days: Math.round((waitHours * hourMs) / dayMs) });
  return notBefore(from, day, atMinute, zone);
}

function notBefore(from: Date, day: Temporal.PlainDate, minute: number, zone: string): Date {
  const at = timeOn(day, minute, zone);
  return at < from ? timeOn(day.add({ days: 1 }), minute, zone) : at;
}

/** Returns the next time, from now on, at which an email that was due at `dueAt` may be sent. */
export function nextTime(dueAt: Date, now: Date, { atMinute }: Wait, zone: string): Date {
  if (dueAt >= now) return dueAt;
  return atMinute === null ? now : notBefore(now, inZone(now, zone).toPlainDate(), atMinute, zone);
}

/** Returns the same time on the next day, for someone who has had an email today. */
export function nextDay(dueAt: Date, now: Date, { atMinute }: Wait, zone: string): Date {
  const time = inZone(dueAt, zone);
  const minute = atMinute ?? time.hour * minutesPerHour + time.minute;
  return timeOn(inZone(now, zone).toPlainDate().add({ days: 1 }), minute, zone);
}

/** Whether it may not share a day with another email: it is one of days, or so late that others may have come meanwhile. */
export const needsFreeDay = ({ waitHours, atMinute }: Wait, dueAt: Date, now: Date): boolean =>
  atMinute !== null || waitHours * hourMs >= dayMs || now.getTime() - dueAt.getTime() > hourMs;
