import { localDay } from "../../db/lib/time";
import type { Child } from "../jsx/jsx-runtime";

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

/** The time zones to choose from, by region; and the one chosen, if it has another name. */
export function zoneOptions(chosen = ""): [zone: string, name: string, region?: string][] {
  const all = Intl.supportedValuesOf("timeZone").filter((zone) => !zone.startsWith("Etc/")); // their signs are reversed
  const zones = chosen && !all.includes(chosen) ? [chosen, ...all] : all;
  return zones.map((zone) => {
    const [region = "", ...place] = zone.split("/");
    return place.length ? [zone, place.join("/").replaceAll("_", " "), region] : [zone, zone];
  });
}

/** When something happened: relative for a week, then as a date. The tooltip has the exact time, local and UTC. */
export const Time = ({ at, clock }: { at: Date; clock: Clock }) => (
  <Exactly at={at} clock={clock}>
    {spoken(at, clock)}
  </Exactly>
);

const Exactly = ({ at, clock, children }: { at: Date; clock: Clock; children?: Child }) => (
  <time datetime={at.toISOString()} title={`${exact(at, clock.preferences)} · ${exact(at, "UTC")} UTC`}>
    {children}
  </time>
);

const daysAgo = (at: Date, { now, preferences: { timeZone } }: Clock) =>
  localDay(now, timeZone) - localDay(at, timeZone);

/** What stands above all that happened on a day, and later in a week or a month: "Yesterday", "Last 7 days", "May 2026". */
function bandOf(at: Date, clock: Clock): string {
  const days = daysAgo(at, clock);
  if (days <= 0) return "Today";
  return days === 1 ? "Yesterday" : days < 7 ? "Last 7 days" : monthOf(at, clock.preferences);
}

/** Rows of one band after the other, in the order they come in. */
export function inBands<Row>(rows: Row[], atOf: (row: Row) => Date, clock: Clock): { band: string; rows: Row[] }[] {
  const bands: { band: string; rows: Row[] }[] = [];
  for (const row of rows) {
    const band = bandOf(atOf(row), clock);
    const last = bands.at(-1);
    if (last?.band === band) last.rows.push(row);
    else bands.push({ band, rows: [row] });
  }
  return bands;
}

/** When something happened, below its band: what the band has not said. */
export const TimeInBand = ({ at, clock }: { at: Date; clock: Clock }) => (
  <Exactly at={at} clock={clock}>
    {inBand(at, clock)}
  </Exactly>
);

function inBand(at: Date, clock: Clock): string {
  const days = daysAgo(at, clock);
  if (days >= 7) return formatFor(clock.preferences).dayOfMonth.format(at);
  const time = timeOfDay(at, clock.preferences);
  return days < 2 ? time : `${formatFor(clock.preferences).weekday.format(at)} ${time}`;
}

const nearDays = new Map([
  [-1, "Tomorrow"],
  [0, "Today"],
  [1, "Yesterday"],
]);

/** The day as one speaks of it, and the time of day: "Yesterday 10:05", "Saturday 19:40", within a week. */
export const Moment = ({ at, clock, toTheSecond }: { at: Date; clock: Clock; toTheSecond?: boolean }) => (
  <Exactly at={at} clock={clock}>
    {momentIn(at, clock, toTheSecond)}
  </Exactly>
);

function momentIn(at: Date, clock: Clock, toTheSecond = false): string {
  const format = formatFor(clock.preferences);
  const days = daysAgo(at, clock);
  if (Math.abs(days) >= 7) return (toTheSecond ? format.exactToTheSecond : format.exact).format(at);
  const name = nearDays.get(days) ?? format.longWeekday.format(at);
  return `${name} ${(toTheSecond ? format.timeToTheSecond : format.time).format(at)}`;
}

/** Whether two moments of a list would read the same, so that only seconds tell them apart. */
export const inOneMinute = (a: Date, b: Date | undefined): boolean =>
  b !== undefined && Math.floor(a.getTime() / minute) === Math.floor(b.getTime() / minute);

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

type Format = Record<
  | "date"
  | "dayOfMonth"
  | "time"
  | "timeToTheSecond"
  | "exact"
  | "exactToTheSecond"
  | "month"
  | "weekday"
  | "longWeekday",
  Intl.DateTimeFormat
>;
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
  const made = {
    date: format(day),
    dayOfMonth: format(dates === "en-CA" ? inDigits : { day: "numeric", month: "short" }),
    time: format(time),
    timeToTheSecond: format({ ...time, second: "2-digit" }),
    exact: format({ ...day, ...time }),
    exactToTheSecond: format({ ...day, ...time, second: "2-digit" }),
    month: format({ month: "long", year: "numeric" }),
    weekday: format({ weekday: "short" }),
    longWeekday: format({ weekday: "long" }),
  };
  formats.set(key, made);
  return made;
}

export const date = (at: Date, reading: Reading) => formatFor(reading).date.format(at);

/** "May 2026" */
export const monthOf = (at: Date, reading: Reading) => formatFor(reading).month.format(at);

export const exact = (at: Date, reading: Reading) => formatFor(reading).exact.format(at);

export const weekdayOf = (at: Date, reading: Reading) => formatFor(reading).longWeekday.format(at);

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
