import * as sessions from "../../../db/access/sessions";
import { paths } from "../../../views/paths";
import type { Db } from "../../../db/engine/open";
import { isOverdue, managerFor, managerOf } from "./session";

/** Admits managers. Everyone else is sent to the sign-in page, and from there back to the requested page. */
export const requireManager =
  (needs: { db: Db; now: () => Date }) =>
  async (request: Request): Promise<Response | undefined> =>
    (await managerOf(needs, request)) ? undefined : leadTo(paths.signIn, request);

/** Whether the password was confirmed within the last 15 minutes, as sensitive pages require. */
export const isFresh = ({ session }: sessions.SignedIn, now: Date) =>
  Math.abs(now.getTime() - session.confirmedAt.getTime()) < 15 * 60_000;

/** Sends managers to confirm their password, and back, if the last time was too long ago. */
export const requireFresh = (request: Request, now: Date): Response | undefined =>
  isFresh(managerFor(request), now) ? undefined : leadTo(paths.confirm, request);

/** Sends managers to their account page to set up two-step verification or a passkey once it is overdue. */
export const requireTwoFactor = (request: Request, now: Date): Response | undefined =>
  isOverdue(managerFor(request), now) ? leadTo(paths.account, request) : undefined;

/**
 * Redirects to a page that knows the way back. htmx would follow a redirect and insert that page here, so it gets a
 * header instead.
 */
function leadTo(path: string, request: Request): Response {
  const { headers, method, url } = request;
  const isHtmx = headers.has("hx-request");
  const asked = isHtmx ? headers.get("hx-current-url") : method === "GET" ? url : headers.get("referer");
  const location = `${path}?${new URLSearchParams({ next: dashboardPath(asked) })}`;
  return isHtmx
    ? new Response(null, { status: 401, headers: { "hx-redirect": location, "cache-control": "no-store" } })
    : new Response(null, { status: 303, headers: { location, "cache-control": "no-store" } });
}

/** Pages that no one is sent back to: signing in would lead in a circle. */
const signedOutPaths = [paths.signIn, paths.signOut, paths.setUp, paths.reset, paths.confirm];

/**
 * Returns the page to go to after signing in: path and query of `asked` if it is in the dashboard, whatever host it
 * names; otherwise the overview.
 */
export function dashboardPath(asked: unknown): string {
  const base = "http://dashboard.invalid";
  if (typeof asked !== "string" || !URL.canParse(asked, base)) return paths.overview;
  const { pathname, search } = new URL(asked, base);
  const isBelow = (path: string) => pathname === path || pathname.startsWith(`${path}/`);
  const isBehindSignIn = isBelow(paths.overview) && !signedOutPaths.some(isBelow);
  return isBehindSignIn ? pathname + search : paths.overview;
}
