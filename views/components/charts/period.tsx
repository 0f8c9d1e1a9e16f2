import { dayMs } from "../../../db/lib/time";
import { number } from "../list";
import type { DateStyle } from "../time";

/* Days since 1970, UTC: figures are kept by UTC day, for all managers alike. */

const [day, month, year] = ["numeric", "short", "numeric"] as const;

type Name = "short" | "month" | "wholeMonth" | "full" | "long";
const options: Record<Name, Intl.DateTimeFormatOptions> = {
  short: { day, month },
  month: { month, year },
  wholeMonth: { month: "long", year },
  full: { day, month, year },
  long: { day, month: "long", year },
};
/** Year-first dates are numeric in a chart as on every page. */
const inDigits: Record<Name, Intl.DateTimeFormatOptions> = {
  short: { day: "2-digit", month: "2-digit" },
  month: { month: "2-digit", year },
  wholeMonth: { month: "2-digit", year },
  full: { day: "2-digit", month: "2-digit", year },
  long: { day: "2-digit", month: "2-digit", year },
};
const formats = new Map<string, Intl.DateTimeFormat>(); // created on first use, not at the start

function formatOf(name: Name, dates: DateStyle): Intl.DateTimeFormat {
  const key = `${dates} ${name}`;
  const chosen = (dates === "en-CA" ? inDigits : options)[name];
  const format = formats.get(key) ?? new Intl.DateTimeFormat(dates, { ...chosen, timeZone: "UTC" });
  formats.set(key, format);
  return format;
}

/** "25 Aug", "Aug 2026", "25 Aug 2026" or "25 August 2026", in the order the manager prefers. */
export const dayName = (day: number, as: Name = "full", dates: DateStyle = "en-GB") =>
  formatOf(as, dates).format(day * dayMs);

/** "25 August – 22 November 2026" */
export const daysName = (from: number, to: number, dates: DateStyle = "en-GB") =>
  formatOf("long", dates).formatRange(from * dayMs, to * dayMs);

const maxShortDays = 200; // for longer periods, months are shown

/** A date on the axis, without the parts that the other dates make clear. */
export const axisName = (day: number, from: number, to: number, dates?: DateStyle) =>
  dayName(day, to - from > maxShortDays ? "month" : "short", dates);

/** Days that are combined: single days at first, then weeks, then months. */
type Unit = "Day" | "Week of" | "Month";
type Bucket = { from: number; to: number; name: string };

const isMonday = (day: number) => (day + 3) % 7 === 0;
const isFirst = (day: number) => new Date(day * dayMs).getUTCDate() === 1;
const most = { days: 31, weeks: 92 };

/** Divides a period for a table, oldest first. The groups at its ends may be incomplete. */
export function bucketsOf(from: number, to: number, dates?: DateStyle): { buckets: Bucket[]; unit: Unit } {
  const length = to - from + 1;
  const unit: Unit = length <= most.days ? "Day" : length <= most.weeks ? "Week of" : "Month";
  const begins = { Day: () => true, "Week of": isMonday, Month: isFirst }[unit];
  const buckets: Bucket[] = [];
  for (let day = from; day <= to; day++) {
    const last = buckets.at(-1);
    if (last && !begins(day)) last.to = day;
    else buckets.push({ from: day, to: day, name: dayName(day, unit === "Month" ? "month" : "full", dates) });
  }
  return { buckets, unit };
}

/** Formats "+3,440" or "−12", with a real minus sign. */
export const signed = (n: number) => (n < 0 ? `−${number(-n)}` : `+${number(n)}`);

/** The periods of a chart, as in `?days=`. */
export const periods = ["7", "30", "last-month", "90", "365", "all"] as const;
export type Period = (typeof periods)[number];

const names: Record<Period, string> = {
  7: "7 days",
  30: "30 days",
  "last-month": "Last month",
  90: "90 days",
  365: "1 year",
  all: "All",
};

const within: Partial<Record<Period, string>> = { "last-month": "last month", 365: "in a year", all: "in all" };

/** "in 90 days", "last month", "in a year" or "in all". */
export const inPeriod = (period: Period) => within[period] ?? `in ${period} days`;

const headings: Partial<Record<Period, string>> = { 365: "The last year", all: "Since the beginning" };

/** "The last 30 days", "October 2026". @param from its first day */
export const headingOf = (period: Period, from: number, dates?: DateStyle) =>
  period === "last-month" ? dayName(from, "wholeMonth", dates) : (headings[period] ?? `The last ${period} days`);

type PeriodLinksProps = { path: string; period: Period; target: string };

/** Links to the periods. With htmx, only the chart changes, and the focus stays. */
export const PeriodLinks = ({ path, period, target }: PeriodLinksProps) => (
  <nav class="segments" aria-label="Period">
    {periods.map((each) => (
      <a
        id={`${target}-${each}`}
        href={`${path}?days=${each}#${target}`}
        hx-get={`${path}?days=${each}`}
        hx-target={`#${target}`}
        hx-swap="outerHTML"
        hx-push-url="true"
        aria-current={each === period ? "true" : undefined}
      >
        {names[each]}
      </a>
    ))}
  </nav>
);
