import { normalized } from "../../../db/lib/text";

/** How the dates of a column are written, and what people call that. */
export const dateFormats = {
  "year-first": "Year first (2025-01-31)",
  "day-first": "Day first (31/01/2025)",
  "month-first": "Month first (01/31/2025)",
  words: "In letters (31 Jan 2025)",
  seconds: "Unix time in seconds",
  milliseconds: "Unix time in milliseconds",
  none: "Leave the dates out",
} as const;
export type DateFormat = keyof typeof dateFormats;
export const isDateFormat = (text: string): text is DateFormat => Object.hasOwn(dateFormats, text);

type WrittenFormat = Exclude<DateFormat, "none">;
const writtenFormats: WrittenFormat[] = ["year-first", "day-first", "month-first", "words", "seconds", "milliseconds"];
/** A date in one of these can be read in no other way. */
const plainFormats = writtenFormats.filter((format) => format !== "day-first" && format !== "month-first");

const longest = 80; // characters
const firstYear = 1971; // of the first email; an earlier date stands for none, such as 1970-01-01

const time = String.raw`(?:[T, ]+(?:(?:at|um|à|às|om|a las) )?(?<hour>\d\d?):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d{1,9}))?)?(?: ?(?<half>[ap])\.?m\.?)?(?: Uhr)?)?`;
const zone = String.raw`(?: ?(?<zone>[A-Z]{1,5}))?(?: ?(?<sign>[+-])(?<hours>\d\d?):?(?<minutes>\d\d)?)?(?: UTC| \([^()]*\))?`;
const pattern = (date: string) => new RegExp(`^${date}${time}${zone}$`, "iu");
const ordinal = String.raw`(?:st|nd|rd|th|er|º|\.)?`;

const patterns: Record<Exclude<WrittenFormat, "seconds" | "milliseconds">, RegExp[]> = {
  "year-first": [
    pattern(String.raw`(?<year>\d{4})([-/.])(?<month>\d\d?)\2(?<day>\d\d?)`),
    /^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)(?:T(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)?Z?)?$/,
  ],
  "day-first": [pattern(String.raw`(?<day>\d\d?)([-/.]) ?(?<month>\d\d?)\2 ?(?<year>\d{4}|\d\d)`)],
  "month-first": [pattern(String.raw`(?<month>\d\d?)([-/])(?<day>\d\d?)\2(?<year>\d{4}|\d\d)`)],
  words: [
    pattern(
      String.raw`(?:\p{L}+\.?,? )?(?<day>\d\d?)${ordinal}[ -]+(?:(?:de|of) )?(?<month>\p{L}+)\.?[ ,-]+(?:(?:de|do) )?(?<year>\d{4})`,
    ),
    pattern(String.raw`(?:\p{L}+\.?,? +)?(?<month>\p{L}+)\.? +(?<day>\d\d?)${ordinal},? +(?<year>\d{4})`),
  ],
};

/**
 * Reads a date in the format of its column. One in a format that can be read in no other way is read too. Without an
 * offset it is UTC. Returns undefined for anything else, and for days that do not exist.
 */
export function readDate(text: string, format: DateFormat): Date | undefined {
  if (format === "none" || text.length > longest) return undefined;
  for (const one of [format, ...plainFormats]) {
    const date = readAs(text, one);
    if (date) return date;
  }
  return undefined;
}

/** Returns the formats in which a text is a date, each with that date. */
export const readings = (text: string): { format: WrittenFormat; date: Date }[] =>
  text.length > longest
    ? []
    : writtenFormats.flatMap((format) => {
        const date = readAs(text, format);
        return date ? [{ format, date }] : [];
      });

function readAs(text: string, format: WrittenFormat): Date | undefined {
  const date = readAny(text, format);
  return date && date.getUTCFullYear() >= firstYear ? date : undefined;
}

function readAny(text: string, format: WrittenFormat): Date | undefined {
  if (format === "seconds") return /^\d{8,10}(?:\.\d+)?$/.test(text) ? new Date(Number(text) * 1_000) : undefined;
  if (format === "milliseconds") return /^\d{11,13}$/.test(text) ? new Date(Number(text)) : undefined;
  for (const each of patterns[format]) {
    const parts = each.exec(text)?.groups;
    const date = parts && dateOf(parts);
    if (date) return date;
  }
  return undefined;
}

type Parts = Partial<Record<string, string>>;

function dateOf({ year = "", month = "", day = "", fraction = "", half, ...rest }: Parts): Date | undefined {
  const two = (text: string | number) => String(text).padStart(2, "0");
  const number = /^\d/.test(month) ? month : monthOf(month);
  const { hour = "0", minute = "0", second = "0" } = rest;
  const hours = half ? (Number(hour) % 12) + (half.toLowerCase() === "p" ? 12 : 0) : Number(hour);
  const century = year.length > 2 ? "" : Number(year) < 69 ? "20" : "19"; // as POSIX reads %y
  const clock = `${two(hours)}:${two(minute)}:${two(second)}.${fraction.slice(0, 3).padEnd(3, "0")}Z`;
  const local = `${century}${year}-${two(number ?? "")}-${two(day)}T${clock}`;
  const date = new Date(local);
  const offset = offsetOf(rest);
  if (offset === undefined || Number.isNaN(date.getTime()) || date.toISOString() !== local) return undefined;
  return new Date(date.getTime() - offset * 60_000);
}

/** Abbreviations of time zones in dates of emails (RFC 5322, section 4.3) and of Europe, in hours from UTC. */
const zones: Partial<Record<string, number>> = {
  Z: 0,
  UT: 0,
  UTC: 0,
  GMT: 0,
  EST: -5,
  EDT: -4,
  CST: -6,
  CDT: -5,
  MST: -7,
  MDT: -6,
  PST: -8,
  PDT: -7,
  WET: 0,
  WEST: 1,
  BST: 1,
  CET: 1,
  CEST: 2,
  MEZ: 1,
  MESZ: 2,
  EET: 2,
  EEST: 3,
};

/** Returns minutes from UTC; undefined if there is no such offset. */
function offsetOf({ zone: called = "UTC", sign, hours = "0", minutes = "0" }: Parts): number | undefined {
  const ofZone = zones[called.toUpperCase()];
  const offset = Number(hours) * 60 + Number(minutes);
  return ofZone === undefined || offset > 15 * 60 ? undefined : ofZone * 60 + (sign === "-" ? -offset : offset);
}

const withoutMarks = (text: string) =>
  normalized(text, "NFD")
    .replaceAll(/\p{M}|\./gu, "")
    .toLowerCase();

let monthNames: (readonly [name: string, month: number])[] | undefined;

/** The names of the months in the languages of the product, long and short. Made when first asked for: it takes 20 ms. */
const namesOfMonths = () =>
  (monthNames ??= ["en", "de", "de-AT", "fr", "es", "pt", "nl"].flatMap((language) =>
    (["long", "short"] as const).flatMap((month) => {
      const format = new Intl.DateTimeFormat(language, { month, timeZone: "UTC" });
      return Array.from({ length: 12 }, (_, at) => [withoutMarks(format.format(Date.UTC(2025, at))), at + 1] as const);
    }),
  ));

/** Returns the number of the month that begins like this, if it is only one. */
function monthOf(text: string): number | undefined {
  const begin = withoutMarks(text);
  const exact = namesOfMonths().find(([name]) => name === begin)?.[1];
  if (exact || begin.length < 3) return exact;
  const months = new Set(
    namesOfMonths()
      .filter(([name]) => name.startsWith(begin))
      .map(([, month]) => month),
  );
  return months.size === 1 ? [...months][0] : undefined;
}
