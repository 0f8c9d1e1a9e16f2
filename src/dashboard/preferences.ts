import { type Preferences, themes } from "../../views/components/frame";
import { dateStyles } from "../../views/components/time";

/** How a manager wants the dashboard; the time zone of the browser where none was chosen. */
export function preferencesOf(chosen: Record<string, string>, request: Request): Preferences {
  return {
    theme: oneOf(themes, chosen.theme),
    density: oneOf(["compact", "comfortable"], chosen.density),
    shortcuts: oneOf(["on", "off"], chosen.shortcuts),
    firstSteps: oneOf(["shown", "hidden"], chosen.firstSteps),
    timeZone: [chosen.timeZone, browserZone(request)].find((zone) => zone && isTimeZone(zone)) ?? "UTC",
    dates: oneOf(dateStyles, chosen.dates),
  };
}

/** The time zone that the browser says it is in. */
export function browserZone(request: Request): string | undefined {
  const zone = /(?:^|;\s*)tz=([A-Za-z0-9_+/-]{1,64})(?:;|$)/.exec(request.headers.get("cookie") ?? "")?.[1];
  return zone && isTimeZone(zone) ? zone : undefined;
}

/** The value when it is one of the options, else the first of them. */
const oneOf = <const T extends string>(options: readonly [T, ...T[]], value: string | undefined): T =>
  options.find((option) => option === value) ?? options[0];

const zones = new Map<string, boolean>();
const longestZone = 64; // the database of zones has none above 32

export function isTimeZone(zone: string): boolean {
  if (zone.length > longestZone) return false;
  if (!zones.has(zone) && zones.size < 1_000) zones.set(zone, accepts(zone));
  return zones.get(zone) ?? accepts(zone);
}

function accepts(zone: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: zone }));
  } catch {
    return false;
  }
}
