export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** The day since 1970, UTC. Figures are kept by UTC day, for all managers alike. */
export const dayOf = (at: Date) => Math.floor(at.getTime() / dayMs);

/** Days since 1970, the first and the last; without a last one, up to now. */
export type Days = { from: number; to?: number | undefined };

/** Whether the text has the form of a day in the calendar, such as 2026-12-24. 30 February has it too. */
export const looksLikeDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text);

/**
 * How far in the future a stored time may be before the clock is considered to have been wrong. Clocks are normally
 * adjusted by seconds.
 */
export const clockSlackMs = 60_000;

/** How long deleted rows stay in the trash and can be restored (D39). */
export const trashRetentionMs = 30 * dayMs;

/**
 * Returns the name under which this machine knows a time zone, such as Europe/Madrid for europe/madrid; undefined if it
 * does not. Remembers what it asked: the answer takes longer than a row of a claim.
 */
export function knownZone(name: string | null | undefined): string | undefined {
  if (!name || name.length > maxZoneLength) return undefined;
  if (zones.size >= maxZones) zones.clear();
  return zones.getOrInsertComputed(name, askForZone);
}

export const isTimeZone = (name: string): boolean => knownZone(name) !== undefined;

const zones = new Map<string, string | undefined>();
const maxZones = 1_000; // there are 600
/** In characters: no name in the time zone database has more than 32. */
export const maxZoneLength = 64;

function askForZone(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

export const inZone = (at: Date, zone: string) =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone);

/** Returns the day since 1970 that it is in this zone. */
export const localDay = (at: Date, zone: string): number =>
  Math.round(Date.parse(`${inZone(at, zone).toPlainDate().toString()}T00:00:00Z`) / dayMs);

const minutesPerHour = 60;

/** Formats a minute of the day for a time field: "08:00". */
export const timeOfMinute = (minute: number): string =>
  [Math.floor(minute / minutesPerHour), minute % minutesPerHour].map((part) => String(part).padStart(2, "0")).join(":");

/** Parses a time field; undefined if it is not a time. */
export function minuteOfTime(time: string): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)(?::00)?$/.exec(time) ?? [];
  return hours && minutes ? Number(hours) * minutesPerHour + Number(minutes) : undefined;
}
