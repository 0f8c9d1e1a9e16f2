const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * Day, month or year first. The dashboard is in English, and so are its months: foreign names would stand in English
 * sentences.
 */
export const dateStyles = ["en-GB", "en-US", "en-CA"] as const;
export type DateStyle = (typeof dateStyles)[number];

/** A time zone, or all of a manager's preferences for times. */
export type Reading = string | { timeZone: string; dates?: DateStyle };
type Clock = { now: Date; preferences: Exclude<Reading, string> };

/** When something happened: relative for a week, then as a date. The tooltip has the exact time, local and UTC. */
export const Time = ({ at, clock }: { at: Date; clock: Clock }) => (
  <time datetime={at.toISOString()} title={`${exact(at, clock.preferences)} · ${exact(at, "UTC")} UTC`}>
    {spoken(at, clock)}
  </time>
);

export function spoken(at: Date, { now, preferences }: Clock): string {
  const age = now.getTime() - at.getTime();
  if (Math.abs(age) < minute) return "just now";
  if (Math.abs(age) >= 7 * day) return date(at, preferences);
  const [unit, length] =
    Math.abs(age) < hour
      ? (["minute", minute] as const)
      : Math.abs(age) < day
        ? (["hour", hour] as const)
        : (["day", day] as const);
  words ??= new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  return words.format(-Math.trunc(age / length), unit);
}

let words: Intl.RelativeTimeFormat | undefined; // created on first use, not at the start

const toTheDay = { day: "numeric", month: "short", year: "numeric" } as const;
const inDigits = { day: "2-digit", month: "2-digit", year: "numeric", hourCycle: "h23" } as const;
const toTheMinute = { hour: "2-digit", minute: "2-digit" } as const;

type Format = Record<"date" | "time" | "exact", Intl.DateTimeFormat>;
const formats = new Map<string, Format>(); // by style and time zone: creating one costs more than rendering a row
const maxFormats = 100;

function formatFor(reading: Reading): Format {
  const { timeZone, dates = "en-GB" } = typeof reading === "string" ? { timeZone: reading } : reading;
  const key = `${dates} ${timeZone}`;
  const cached = formats.get(key);
  if (cached) return cached;
  if (formats.size >= maxFormats) formats.clear();
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(dates, { ...options, timeZone });
  const day = dates === "en-CA" ? inDigits : toTheDay;
  const minute = dates === "en-US" ? { ...toTheMinute, hour: "numeric" as const } : toTheMinute;
  const time = { ...minute, ...(dates === "en-CA" && { hourCycle: "h23" as const }) };
  const made = { date: format(day), time: format(time), exact: format({ ...day, ...time }) };
  formats.set(key, made);
  return made;
}

export const date = (at: Date, reading: Reading) => formatFor(reading).date.format(at);

export const exact = (at: Date, reading: Reading) => formatFor(reading).exact.format(at);

/** The time of day alone. */
export const timeOfDay = (at: Date, reading: Reading) => formatFor(reading).time.format(at);

/** A period; if it is within one day, the date is not repeated: "25 Oct 2026, 08:00–08:41". */
export const exactRange = (from: Date, to: Date, reading: Reading) => formatFor(reading).exact.formatRange(from, to);

/** The zone in which a time is entered, with its current offset from UTC: "Europe/Berlin time (now UTC+1)". */
export function zoneInWords(timeZone: string, now: Date): string {
  if (timeZone === "UTC") return "UTC";
  const offset = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "shortOffset" })
    .formatToParts(now)
    .find(({ type }) => type === "timeZoneName")?.value;
  return `${timeZone.replaceAll("_", " ")} time (now ${(offset ?? "GMT").replace("GMT", "UTC")})`;
}

/** In the reader's zone and in UTC. */
export const inBothZones = (at: Date, reading: Exclude<Reading, string>) =>
  reading.timeZone === "UTC" ? `${exact(at, reading)} UTC` : `${exact(at, reading)} (${exact(at, "UTC")} UTC)`;
