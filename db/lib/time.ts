export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** The day since 1970, UTC. Figures are kept by UTC day, for all managers alike. */
export const dayOf = (at: Date) => Math.floor(at.getTime() / dayMs);

/** Whether the text has the form of a day in the calendar, such as 2026-12-24. 30 February has it too. */
export const looksLikeDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text);

/**
 * How far in the future a stored time may be before the clock is considered to have been wrong. Clocks are normally
 * adjusted by seconds.
 */
export const clockSlackMs = 60_000;

/** How long deleted rows stay in the trash and can be restored (D39). */
export const trashRetentionMs = 30 * dayMs;

const minutesPerHour = 60;

/** Formats a minute of the day for a time field: "08:00". */
export const timeOfMinute = (minute: number): string =>
  [Math.floor(minute / minutesPerHour), minute % minutesPerHour].map((part) => String(part).padStart(2, "0")).join(":");

/** Parses a time field; undefined if it is not a time. */
export function minuteOfTime(time: string): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)(?::00)?$/.exec(time) ?? [];
  return hours && minutes ? Number(hours) * minutesPerHour + Number(minutes) : undefined;
}
