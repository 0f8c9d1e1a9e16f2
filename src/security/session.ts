import type { Device } from "../../db/access/managers";
import * as sessions from "../../db/access/sessions";
import type { Actor } from "../../db/audit";
import type { Db } from "../../db/engine/open";
import { paths } from "../../views/paths";
import type { Config } from "../platform/config";
import { asksForEvents, contextOf } from "../platform/request-context";
import { knownDevice, readCookie, setCookie } from "./cookies";
import { randomToken, sha256 } from "./secrets";

export type { SignedIn } from "../../db/access/sessions";
type Needs = { db: Db; now: () => Date };
const touchIntervalMs = 5 * 60_000;

const sessionName = "__Host-postroom";
const weekSeconds = 7 * 24 * 3600; // as long as any session (`db/access/sessions.ts`)

/** Returns the Set-Cookie value that gives a session to the browser; the server stores only its hash (D35). */
export const sessionCookie = (token: string) => setCookie(sessionName, token, weekSeconds);
/** Deletes it. That needs the same attributes, or browsers ignore it. */
export const noSessionCookie = setCookie(sessionName, "", 0);

/** Returns the session token of a request. */
export function sessionToken(request: Request): string | undefined {
  const token = readCookie(request, sessionName);
  return token && /^[A-Za-z0-9_-]{43}$/.test(token) ? token : undefined;
}

/**
 * Creates a session: its token for the browser, and what the database stores.
 *
 * @param email whose session it is, after a sign-in; omitted for a new account, or one that is already signed in
 */
export function newDevice(
  config: Pick<Config, "APP_SECRET">,
  request: Request,
  email?: string,
): { token: string; device: Device } {
  const token = randomToken();
  const userAgent = request.headers.get("user-agent")?.slice(0, 200) ?? null;
  const isKnown = email === undefined || knownDevice(config, email, request) !== undefined;
  return { token, device: { hash: sha256(token), address: contextOf(request).address, userAgent, isKnown } };
}

async function presenceOf({ db, now }: Needs, request: Request) {
  const token = sessionToken(request);
  return token === undefined ? undefined : sessions.find(db, sha256(token), now());
}

/**
 * Whether someone sent the request who is signed in, may see more than the account page, and works with files, which
 * analysts do not. Records nothing.
 */
export async function worksWithFiles(deps: Needs, request: Request): Promise<boolean> {
  const presence = await presenceOf(deps, request);
  return presence !== undefined && !isOverdue(presence, deps.now()) && presence.manager.role !== "analyst";
}

/** Whether the manager had to set up two-step verification or a passkey, and did not do so in time. */
const isOverdue = ({ twoFactorDueAt }: sessions.SignedIn, now: Date): boolean =>
  twoFactorDueAt !== undefined && twoFactorDueAt <= now;

const present = new WeakMap<Request, sessions.SignedIn>();

/**
 * Returns the manager who sent the request, if their session has not ended, and records at most every five minutes that
 * they are active. Handlers get the result from `managerFor`.
 */
export async function managerOf({ db, now }: Needs, request: Request) {
  const cached = present.get(request);
  if (cached) return cached;
  const signedIn = await presenceOf({ db, now }, request);
  if (!signedIn) return;
  present.set(request, signedIn);
  const context = contextOf(request);
  // The page is shown even if this cannot be written
  if (!context.isPassive && Math.abs(now().getTime() - signedIn.session.seenAt.getTime()) >= touchIntervalMs)
    context.pending.push(sessions.touch(db, signedIn.session, now()).catch(() => undefined));
  return signedIn;
}

/** Returns the manager and session of a request that passed the dashboard's gate. */
export function managerFor(request: Request): sessions.SignedIn {
  const signedIn = present.get(request);
  if (!signedIn) throw new Error("The request bypassed dashboard authentication");
  return signedIn;
}

/** Returns the actor of a request for the audit log. */
export const actorOf = (request: Request): Actor => ({
  actor: managerFor(request).manager.email,
  address: contextOf(request).address,
});

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
export const sendOverdueToAccount = (request: Request, now: Date): Response | undefined =>
  isOverdue(managerFor(request), now) ? leadTo(paths.account, request) : undefined;

/**
 * Redirects to a page that knows the way back. htmx would follow a redirect and insert that page here, so it gets a
 * header instead. A stream of events goes nowhere: with 204, the browser does not ask again.
 */
function leadTo(path: string, request: Request): Response {
  const { headers, method, url } = request;
  if (asksForEvents(request)) return new Response(null, { status: 204, headers: { "cache-control": "no-store" } });
  const isHtmx = headers.has("hx-request");
  const asked = isHtmx ? headers.get("hx-current-url") : method === "GET" ? url : headers.get("referer");
  const next = dashboardPath(asked);
  const query = new URLSearchParams({ next });
  if (String(query).length > maxNextLength) query.set("next", paths.overview);
  if (path === paths.signIn && (isHtmx || method !== "GET")) query.set("ended", "yes"); // they were on a page of ours
  const location = `${path}?${query}`;
  return isHtmx
    ? new Response(null, { status: 401, headers: { "hx-redirect": location, "cache-control": "no-store" } })
    : new Response(null, { status: 303, headers: { location, "cache-control": "no-store" } });
}

/** Nginx answers 502 instead of a response whose headers have more than 4 KB together. */
const maxNextLength = 2_000;

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
