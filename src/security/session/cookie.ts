import type { Device } from "../../../db/access/managers";
import type { Config } from "../../platform/config";
import { contextOf } from "../../platform/request-context";
import { dropCookie, readCookie, setCookie } from "../cookies";
import { knownDevice } from "../known-device";
import { randomToken, sha256 } from "../secrets";

type Secret = Pick<Config, "APP_SECRET">;

const name = "__Host-postroom";
const weekSeconds = 7 * 24 * 3600;

/** Returns the Set-Cookie value that gives a session to the browser; the server stores only its hash (D35). */
export const sessionCookie = (token: string) => setCookie(name, token, weekSeconds);
export const noSessionCookie = dropCookie(name);

/** Returns the session token of a request. */
export function sessionToken(request: Request): string | undefined {
  const token = readCookie(request, name);
  return token && /^[A-Za-z0-9_-]{43}$/.test(token) ? token : undefined;
}

/**
 * Creates a session: its token for the browser, and what the database stores.
 *
 * @param email whose session it is, after a sign-in; omitted for a new account, or one that is already signed in
 */
export function newDevice(config: Secret, request: Request, email?: string): { token: string; device: Device } {
  const token = randomToken();
  const userAgent = request.headers.get("user-agent")?.slice(0, 200) ?? null;
  const isKnown = email === undefined || knownDevice(config, email, request) !== undefined;
  return { token, device: { hash: sha256(token), address: contextOf(request).address, userAgent, isKnown } };
}
