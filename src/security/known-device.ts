import { createHmac, timingSafeEqual } from "node:crypto";
import { emailKey } from "../../db/lib/email-key";
import type { Config } from "../config";
import { readCookie, setCookie } from "./cookies";
import { deriveKey, randomToken } from "./secrets";

const name = "__Host-postroom-device";
const year = 365 * 24 * 3600; // seconds

type Secret = Pick<Config, "APP_SECRET">;

const sign = ({ APP_SECRET }: Secret, email: string, device: string) =>
  createHmac("sha256", deriveKey(APP_SECRET, "known-device/v1"))
    .update(`${device} ${emailKey(email)}`)
    .digest();

/**
 * Given to a browser that signed in: it proves so later. Guesses from elsewhere then do not lock the manager out,
 * because this browser has failures of its own to use up. It lets nobody in.
 */
export function deviceCookie(config: Secret, email: string): string {
  const device = randomToken();
  return setCookie(name, `${device}.${sign(config, email, device).toString("base64url")}`, year);
}

/** The device this account signed in from before, if the request comes from one. */
export function knownDevice(config: Secret, email: string, request: Request): string | undefined {
  const [device = "", signature = ""] = (readCookie(request, name) ?? "").split(".");
  const given = Buffer.alloc(32);
  given.write(signature, "base64url");
  const isOurs = timingSafeEqual(sign(config, email, device), given);
  return isOurs && given.toString("base64url") === signature ? device : undefined; // one spelling only
}
