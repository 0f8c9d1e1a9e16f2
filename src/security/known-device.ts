import { createHmac, timingSafeEqual } from "node:crypto";
import { emailKey } from "../../db/lib/email-key";
import type { Config } from "../config";
import { readCookie, setCookie } from "./cookies";
import { deriveKey, randomToken } from "./secrets";

const name = "__Host-postroom-device";
const yearSeconds = 365 * 24 * 3600;

type Secret = Pick<Config, "APP_SECRET">;

const sign = ({ APP_SECRET }: Secret, email: string, device: string) =>
  createHmac("sha256", deriveKey(APP_SECRET, "known-device/v1"))
    .update(`${device} ${emailKey(email)}`)
    .digest();

const maxAccounts = 4; // of one browser: people share them

const proofsIn = (request: Request) => (readCookie(request, name) ?? "").split("~", maxAccounts);

/** The device that the proof names, when it is ours and about this account. */
function deviceIn(config: Secret, email: string, proof: string): string | undefined {
  const [device = "", signature = ""] = proof.split(".");
  const given = Buffer.alloc(32);
  given.write(signature, "base64url");
  const isOurs = timingSafeEqual(sign(config, email, device), given);
  return isOurs && given.toString("base64url") === signature ? device : undefined; // one spelling only
}

const wellFormed = /^[\w-]{43}\.[\w-]{43}$/;

/**
 * Given to a browser that signed in: it proves so later, for the last few accounts that did. Guesses from elsewhere then
 * do not lock the manager out, because this browser has failures of its own to use up; and he gets no mail about a new
 * device. It lets nobody in.
 */
export function deviceCookie(config: Secret, email: string, request: Request): string {
  const device = randomToken();
  const proof = `${device}.${sign(config, email, device).toString("base64url")}`;
  const others = proofsIn(request).filter((other) => wellFormed.test(other) && !deviceIn(config, email, other));
  return setCookie(name, [proof, ...others].slice(0, maxAccounts).join("~"), yearSeconds);
}

/** The device this account signed in from before, if the request comes from one. */
export const knownDevice = (config: Secret, email: string, request: Request): string | undefined =>
  proofsIn(request)
    .map((proof) => deviceIn(config, email, proof))
    .find(Boolean);
