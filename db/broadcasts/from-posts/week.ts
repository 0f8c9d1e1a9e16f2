import { inZone, knownZone, timeOn } from "../../newsletter/sequences/due";

/* When a weekly digest goes out. Pure. */

/** On which day (1 is Monday) and at which minute of it, as clocks in this zone show it. */
export type Schedule = { weekday: number; minute: number; zone: string };

/** When a digest goes out, and the day that is in its zone: a rule has one digest a day. */
export type Occurrence = { at: Date; week: string };

const daysPerWeek = 7;

/**
 * Returns the first time after `after` at which a digest goes out. An hour that clocks skip means the one after it, and an
 * hour that occurs twice means the first.
 *
 * @param past the days that have had one
 */
export function nextDigest(
  { weekday, minute, zone }: Schedule,
  after: Date,
  past: ReadonlySet<string> = new Set(),
): Occurrence {
  const there = knownZone(zone) ?? "UTC";
  const today = inZone(after, there).toPlainDate();
  for (let days = (weekday - today.dayOfWeek + daysPerWeek) % daysPerWeek; ; days += daysPerWeek) {
    const day = today.add({ days });
    const at = timeOn(day, minute, there);
    const week = day.toString();
    if (at > after && !past.has(week)) return { at, week };
  }
}

/** Returns the day that it is in the zone of a digest. */
export const weekOf = (at: Date, zone: string): string =>
  inZone(at, knownZone(zone) ?? "UTC")
    .toPlainDate()
    .toString();
