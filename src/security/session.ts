import type { Actor } from "../../db/audit";
import type { Device } from "../../db/access/managers";
import * as sessions from "../../db/access/sessions";
import type { Deps } from "../boot/deps";
import { contextOf } from "../http/request-context";
import { dropCookie, readCookie, setCookie } from "./cookies";
import { knownDevice } from "./known-device";
import { randomToken, sha256 } from "./secrets";
import { paths } from "../../views/paths";

export type { SignedIn } from "../../db/access/sessions";

type Secret = Pick<Deps["config"], "APP_SECRET">;

const name = "__Host-postroom";
const weekSeconds = 7 * 24 * 3600;
const touchIntervalMs = 5 * 60_000;

/** The Set-Cookie value that hands a session to the browser; the server keeps only the hash of it (D35). */
export const sessionCookie = (token: string) => setCookie(name, token, weekSeconds);
export const noSessionCookie = dropCookie(name);

/** The session token a request brings. */
export function sessionToken(request: Request): string | undefined {
  const token = readCookie(request, name);
  return token && /^[A-Za-z0-9_-]{43}$/.test(token) ? token : undefined;
}

/**
 * A fresh session's token for the browser, and what the database is to know about it.
 *
 * @param email whose it is, when somebody signs in; not given where the account begins, or is signed in already
 */
export function newDevice(config: Secret, request: Request, email?: string): { token: string; device: Device } {
  const token = randomToken();
  const userAgent = request.headers.get("user-agent")?.slice(0, 200) ?? null;
  const isKnown = email === undefined || knownDevice(config, email, request) !== undefined;
  return { token, device: { hash: sha256(token), address: contextOf(request).address, userAgent, isKnown } };
}

async function presenceOf({ db, now }: Pick<Deps, "db" | "now">, request: Request) {
  const token = sessionToken(request);
  return token === undefined ? undefined : sessions.find(db, sha256(token), now());
}

/** Whether a manager who is signed in, and may see more than his account, sent the request. Nothing is noted. */
export async function isSignedIn(deps: Pick<Deps, "db" | "now">, request: Request): Promise<boolean> {
  const presence = await presenceOf(deps, request);
  return presence !== undefined && !isOverdue(presence, deps.now());
}

/** Whether the manager had to set up two-step verification or a passkey, and did not in time (P76). */
const isOverdue = ({ twoFactorDueAt }: sessions.SignedIn, now: Date): boolean =>
  twoFactorDueAt !== undefined && twoFactorDueAt <= now;

const present = new WeakMap<Request, sessions.SignedIn>();

/** Who sent the request, if anybody who signed in and may still be here. Handlers get the answer by `managerFor`. */
export async function managerOf({ db, now }: Pick<Deps, "db" | "now">, request: Request) {
  const known = present.get(request);
  if (known) return known;
  const found = await presenceOf({ db, now }, request);
  if (!found) return;
  present.set(request, found);
  const context = contextOf(request);
  // The page is shown even when this cannot be written
  if (!context.isPassive && Math.abs(now().getTime() - found.session.seenAt.getTime()) >= touchIntervalMs)
    context.pending.push(sessions.touch(db, found.session, now()).catch(() => undefined));
  return found;
}

/** The manager and session behind a request that passed the gate of the dashboard. */
export function managerFor(request: Request): sessions.SignedIn {
  const found = present.get(request);
  if (!found) throw new Error("The request bypassed dashboard authentication");
  return found;
}

/** Who does it and from where, as the audit log wants it. */
export const actorOf = (request: Request): Actor => ({
  actor: managerFor(request).manager.email,
  address: contextOf(request).address,
});

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
