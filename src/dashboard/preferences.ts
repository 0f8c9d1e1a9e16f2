import { isTimeZone } from "../../db/lib/time";
import { type Preferences, themes } from "../../views/components/frame";
import { dateStyles } from "../../views/components/time";

/** A manager's preferences for the dashboard; the browser's time zone if none was chosen. */
export function preferencesOf(chosen: Record<string, string>, request: Request): Preferences {
  return {
    theme: oneOf(themes, chosen.theme),
    density: oneOf(["compact", "comfortable"], chosen.density),
    shortcuts: oneOf(["on", "off"], chosen.shortcuts),
    firstSteps: oneOf(["shown", "hidden"], chosen.firstSteps),
    rarerPages: oneOf(["folded", "unfolded"], cookieOf(request, "rarer-pages")),
    timeZone: [chosen.timeZone, browserZone(request)].find((zone) => zone && isTimeZone(zone)) ?? "UTC",
    dates: oneOf(dateStyles, chosen.dates),
    columns: columnsOf(chosen),
  };
}

/** They are stored as `columns.posts`: "views changed" (db/access/managers.ts). */
const columnsOf = (chosen: Record<string, string>): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(chosen)
      .filter(([name]) => name.startsWith("columns."))
      .map(([name, keys]) => [name.slice("columns.".length), keys.split(" ")]),
  );

/** Returns what a script of ours keeps in the browser under this name (`keep` in public/app/dom.ts). */
const cookieOf = (request: Request, name: "tz" | "rarer-pages"): string | undefined =>
  RegExp(`(?:^|;\\s*)${name}=([A-Za-z0-9_+/-]{1,64})(?:;|$)`).exec(request.headers.get("cookie") ?? "")?.[1];

/** Returns the browser's time zone. */
export function browserZone(request: Request): string | undefined {
  const zone = cookieOf(request, "tz");
  return zone && isTimeZone(zone) ? zone : undefined;
}

/** Returns the value if it is one of the options, otherwise the first of them. */
const oneOf = <const T extends string>(options: readonly [T, ...T[]], value: string | undefined): T =>
  options.find((option) => option === value) ?? options[0];

/** The error of a time in a zone that this server does not know. It is never read as another zone. */
export const unknownZone =
  "The time zone of your browser is not known here. Choose one in your account, then try again.";
