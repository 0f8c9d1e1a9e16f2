import { createHmac, timingSafeEqual } from "node:crypto";
import { emailKey } from "../../db/lib/email-key";
import type { Config } from "../platform/config";
import { deriveKey, randomToken } from "./secrets";

/** The prefix makes browsers reject the cookie without Secure, for other paths, or from another host. */
const attributes = "Path=/; HttpOnly; Secure; SameSite=Lax";

/** Returns a Set-Cookie value. For loopback addresses, browsers accept it without TLS too. */
export const setCookie = (name: `__Host-${string}`, value: string, seconds: number) =>
  `${name}=${value}; ${attributes}; Max-Age=${seconds}`;

/** Returns the cookie of this name. If there are two, it returns neither, because someone else may have set one. */
export function readCookie(request: Request, name: string): string | undefined {
  const [value, ...more] = (request.headers.get("cookie") ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return more.length ? undefined : value;
}

const deviceName = "__Host-postroom-device";
const yearSeconds = 365 * 24 * 3600;

type Secret = Pick<Config, "APP_SECRET">;

const sign = ({ APP_SECRET }: Secret, email: string, device: string) =>
  createHmac("sha256", deriveKey(APP_SECRET, "known-device/v1"))
    .update(`${device} ${emailKey(email)}`)
    .digest();

const maxAccounts = 4; // per browser, because people share them

const proofsIn = (request: Request) => (readCookie(request, deviceName) ?? "").split("~", maxAccounts);

/** Returns the device that the proof names, if we issued the proof, and for this account. */
function deviceIn(config: Secret, email: string, proof: string): string | undefined {
  const [device = "", signature = ""] = proof.split(".");
  const given = Buffer.alloc(32);
  given.write(signature, "base64url");
  const isOurs = timingSafeEqual(sign(config, email, device), given);
  return isOurs && given.toString("base64url") === signature ? device : undefined; // only one spelling is valid
}

const wellFormed = /^[\w-]{43}\.[\w-]{43}$/;

/**
 * Marks a browser after a sign-in, so that it can later prove it, for the last few accounts that signed in with it.
 * Guesses from elsewhere then cannot lock the manager out, because this browser has failures of its own to use up. The
 * manager also gets no email about a new device. It is not enough to sign in.
 */
export function deviceCookie(config: Secret, email: string, request: Request): string {
  const device = randomToken();
  const proof = `${device}.${sign(config, email, device).toString("base64url")}`;
  const others = proofsIn(request).filter((other) => wellFormed.test(other) && !deviceIn(config, email, other));
  return setCookie(deviceName, [proof, ...others].slice(0, maxAccounts).join("~"), yearSeconds);
}

/** Returns the known device that sent the request, if this account signed in from it before. */
export const knownDevice = (config: Secret, email: string, request: Request): string | undefined =>
  proofsIn(request)
    .map((proof) => deviceIn(config, email, proof))
    .find(Boolean);
