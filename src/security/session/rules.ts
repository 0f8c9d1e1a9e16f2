import * as sessions from "../../../db/access/sessions/sessions";
import { paths } from "../../../views/paths";
import type { Deps } from "../../boot/deps";
import { isOverdue, managerFor, managerOf } from "./session";

/** Lets managers in. Everybody else is sent to the sign-in, and from there back to the page asked for. */
export const requireManager =
  (deps: Pick<Deps, "db" | "now">) =>
  async (request: Request): Promise<Response | undefined> =>
    (await managerOf(deps, request)) ? undefined : leadTo(paths.signIn, request);

/** Whether the password was asked for within the last 15 minutes: sensitive pages want that. */
export const isFresh = ({ session }: sessions.SignedIn, now: Date) =>
  Math.abs(now.getTime() - session.confirmedAt.getTime()) < 15 * 60_000;

/** Sends the manager to type the password again, and back, when the last time is too long ago. */
export const requireFresh = (request: Request, now: Date): Response | undefined =>
  isFresh(managerFor(request), now) ? undefined : leadTo(paths.confirm, request);

/** Sends the manager to his account, to set up two-step verification or a passkey, when his time for it is over (P76). */
export const requireTwoFactor = (request: Request, now: Date): Response | undefined =>
  isOverdue(managerFor(request), now) ? leadTo(paths.account, request) : undefined;

/** To another page that knows the way back. htmx would follow a redirect and swap that page in: it gets a header. */
function leadTo(path: string, request: Request): Response {
  const { headers, method, url } = request;
  const isHtmx = headers.has("hx-request");
  const asked = isHtmx ? headers.get("hx-current-url") : method === "GET" ? url : headers.get("referer");
  const location = `${path}?${new URLSearchParams({ next: dashboardPath(asked) })}`;
  return isHtmx
    ? new Response(null, { status: 401, headers: { "hx-redirect": location, "cache-control": "no-store" } })
    : new Response(null, { status: 303, headers: { location, "cache-control": "no-store" } });
}

/** Where nobody is led back to: signing in would go round in a circle. */
const signedOutPaths = [paths.signIn, paths.signOut, paths.setUp, paths.reset, paths.confirm];

/**
 * The page to go to after signing in: path and query of `asked` when it lies in the dashboard, whatever host it names;
 * the start page of the dashboard otherwise.
 */
export function dashboardPath(asked: unknown): string {
  const base = "http://dashboard.invalid";
  if (typeof asked !== "string" || !URL.canParse(asked, base)) return paths.overview;
  const { pathname, search } = new URL(asked, base);
  const isBelow = (path: string) => pathname === path || pathname.startsWith(`${path}/`);
  const isBehindSignIn = isBelow(paths.overview) && !signedOutPaths.some(isBelow);
  return isBehindSignIn ? pathname + search : paths.overview;
}
