import { number } from "../list";

/* Days since 1970, UTC: figures are kept by them, for all managers alike. */

const dayMs = 86_400_000;
const names = { day: "numeric", month: "short", timeZone: "UTC" } as const;

type Name = "short" | "month" | "full" | "long";
const options: Record<Name, Intl.DateTimeFormatOptions> = {
  short: names,
  month: { month: "short", year: "numeric", timeZone: "UTC" },
  full: { ...names, year: "numeric" },
  long: { ...names, month: "long", year: "numeric" },
};
const formats = new Map<Name, Intl.DateTimeFormat>(); // made when first needed: not at the start

function formatOf(name: Name): Intl.DateTimeFormat {
  const format = formats.get(name) ?? new Intl.DateTimeFormat("en-GB", options[name]);
  formats.set(name, format);
  return format;
}

/** "25 Aug", "Aug 2026", "25 Aug 2026" or "25 August 2026". */
export const dayName = (day: number, as: Name = "full") => formatOf(as).format(day * dayMs);

/** "25 August – 22 November 2026" */
export const daysName = (from: number, to: number) => formatOf("long").formatRange(from * dayMs, to * dayMs);

const maxShortDays = 200; // beyond that months are named

/** Dates for the axis below, with what lies between them left out. */
export const axisName = (day: number, from: number, to: number) =>
  dayName(day, to - from > maxShortDays ? "month" : "short");

/** Days that are shown as one: all by themselves, then by weeks, then by months. */
type Bucket = { from: number; to: number; name: string };

const isMonday = (day: number) => (day + 3) % 7 === 0;
const isFirst = (day: number) => new Date(day * dayMs).getUTCDate() === 1;
const most = { days: 31, weeks: 92 };

/** What a period is divided into for a table, oldest first. Those at its ends may be cut. */
export function bucketsOf(from: number, to: number): { buckets: Bucket[]; unit: "Day" | "Week of" | "Month" } {
  const length = to - from + 1;
  const unit = length <= most.days ? "Day" : length <= most.weeks ? "Week of" : "Month";
  const begins = { Day: () => true, "Week of": isMonday, Month: isFirst }[unit];
  const buckets: Bucket[] = [];
  for (let day = from; day <= to; day++) {
    const last = buckets.at(-1);
    if (last && !begins(day)) last.to = day;
    else buckets.push({ from: day, to: day, name: dayName(day, unit === "Month" ? "month" : "full") });
  }
  return { buckets, unit };
}

/** "+3,440" or "−12": with the sign of minus. */
export const signed = (n: number) => (n < 0 ? `−${number(-n)}` : `+${number(n)}`);
