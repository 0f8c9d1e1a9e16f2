const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

type Clock = { now: Date; preferences: { timeZone: string } };

/** When something happened: in words for a week, then as a date; the title has the exact time, local and UTC. */
export const Time = ({ at, clock }: { at: Date; clock: Clock }) => (
  <time datetime={at.toISOString()} title={`${exact(at, clock.preferences.timeZone)} · ${exact(at, "UTC")} UTC`}>
    {spoken(at, clock)}
  </time>
);

export function spoken(at: Date, { now, preferences }: Clock): string {
  const age = now.getTime() - at.getTime();
  if (Math.abs(age) < minute) return "just now";
  if (Math.abs(age) >= 7 * day) return date(at, preferences.timeZone);
  const [unit, length] =
    Math.abs(age) < hour
      ? (["minute", minute] as const)
      : Math.abs(age) < day
        ? (["hour", hour] as const)
        : (["day", day] as const);
  words ??= new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  return words.format(-Math.trunc(age / length), unit);
}

let words: Intl.RelativeTimeFormat | undefined; // made when first needed: not at the start

const toTheDay = { day: "numeric", month: "short", year: "numeric" } as const;
const toTheMinute = { ...toTheDay, hour: "2-digit", minute: "2-digit" } as const;

type Format = Record<"date" | "exact", Intl.DateTimeFormat>;
const formats = new Map<string, Format>(); // by time zone: making one costs more than all of a row
const maxFormats = 100;

function formatIn(timeZone: string): Format {
  const known = formats.get(timeZone);
  if (known) return known;
  if (formats.size >= maxFormats) formats.clear();
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat("en-GB", { ...options, timeZone });
  const made = { date: format(toTheDay), exact: format(toTheMinute) };
  formats.set(timeZone, made);
  return made;
}

export const date = (at: Date, timeZone: string) => formatIn(timeZone).date.format(at);

export const exact = (at: Date, timeZone: string) => formatIn(timeZone).exact.format(at);

/** From when to when, a day that is the same said once: "25 Oct 2026, 08:00–08:41". */
export const exactRange = (from: Date, to: Date, timeZone: string) => formatIn(timeZone).exact.formatRange(from, to);
