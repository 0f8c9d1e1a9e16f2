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
  return words.format(-Math.trunc(age / length), unit);
}

const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

export const date = (at: Date, timeZone: string) =>
  at.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone });

export const exact = (at: Date, timeZone: string) =>
  at.toLocaleString("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZone,
  });
