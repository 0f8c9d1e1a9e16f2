import type { Preferences } from "../../views/components/frame";

/** How a manager wants the dashboard; the time zone of the browser where none was chosen. */
export function preferencesOf(chosen: Record<string, string>, request: Request): Preferences {
  const cookie = /(?:^|;\s*)tz=([A-Za-z0-9_+/-]{1,64})(?:;|$)/.exec(request.headers.get("cookie") ?? "")?.[1];
  return {
    theme: oneOf(["system", "light", "dark"], chosen.theme),
    density: oneOf(["compact", "comfortable"], chosen.density),
    shortcuts: oneOf(["on", "off"], chosen.shortcuts),
    timeZone: [chosen.timeZone, cookie].find((zone) => zone && isTimeZone(zone)) ?? "UTC",
  };
}

/** The value when it is one of the options, else the first of them. */
const oneOf = <const T extends string>(options: readonly [T, ...T[]], value: string | undefined): T =>
  options.find((option) => option === value) ?? options[0];

const zones = new Map<string, boolean>();

export function isTimeZone(zone: string): boolean {
  if (!zones.has(zone) && zones.size < 1_000) zones.set(zone, accepts(zone));
  return zones.get(zone) ?? false;
}

function accepts(zone: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: zone }));
  } catch {
    return false;
  }
}
