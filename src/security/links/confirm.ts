import { createHmac, timingSafeEqual } from "node:crypto";
import { emailKey } from "../../../db/lib/email-key";
import { deriveKey } from "../secrets";

type Secrets = { BASE_URL: string; APP_SECRET: string; APP_SECRET_PREVIOUS: string[] };

const timeBytes = 6;
const tokenBytes = timeBytes + 32;

/** Signs the moment at which an address became pending, so that a token is worthless for a later subscription. */
function tokenOf(secret: string, email: string, askedAt: number): Buffer {
  const time = Buffer.alloc(timeBytes);
  time.writeUIntBE(askedAt, 0, timeBytes);
  const key = deriveKey(secret, "confirm/v1");
  return Buffer.concat([time, createHmac("sha256", key).update(time).update(emailKey(email)).digest()]);
}

/** Returns the link in a confirmation email. How long it works is decided where it is followed. */
export function confirmLink({ BASE_URL, APP_SECRET }: Secrets, email: string, askedAt: Date): string {
  const token = tokenOf(APP_SECRET, email, askedAt.getTime()).toString("base64url");
  return `${BASE_URL}/api/newsletter/confirm?${new URLSearchParams({ email, token })}`;
}

/** Returns when the address became pending; undefined if the token was not made for it with an accepted secret. */
export function readConfirmToken({ APP_SECRET, APP_SECRET_PREVIOUS }: Secrets, email: string, token: string) {
  const given = Buffer.alloc(tokenBytes);
  given.write(token, "base64url");
  if (given.toString("base64url") !== token) return; // only one spelling is valid
  const askedAt = given.readUIntBE(0, timeBytes);
  const isOurs = [APP_SECRET, ...APP_SECRET_PREVIOUS]
    .map((secret) => timingSafeEqual(tokenOf(secret, email, askedAt), given))
    .includes(true);
  return isOurs ? new Date(askedAt) : undefined;
}
