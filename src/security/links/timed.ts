import { createHmac, timingSafeEqual } from "node:crypto";
import { emailKey } from "../../../db/lib/email-key";
import { deriveKey } from "../secrets";

export type Secrets = { BASE_URL: string; APP_SECRET: string; APP_SECRET_PREVIOUS: string[] };
/** What a link is for. A token of one is worthless for the other. */
type Purpose = "confirm/v1" | "record/v1";

const timeBytes = 6;
const tokenBytes = timeBytes + 32;

function tokenFor(purpose: Purpose, secret: string, email: string, at: number): Buffer {
  const time = Buffer.alloc(timeBytes);
  time.writeUIntBE(at, 0, timeBytes);
  const key = deriveKey(secret, purpose);
  return Buffer.concat([time, createHmac("sha256", key).update(time).update(emailKey(email)).digest()]);
}

/** Returns a token that signs an address and a moment. How long it works is decided where the link is followed. */
export const timedToken = (purpose: Purpose, { APP_SECRET }: Secrets, email: string, at: Date): string =>
  tokenFor(purpose, APP_SECRET, email, at.getTime()).toString("base64url");

/** Returns the moment in a token; undefined if the token was not made for this address with an accepted secret. */
export function readTimedToken(
  purpose: Purpose,
  { APP_SECRET, APP_SECRET_PREVIOUS }: Secrets,
  email: string,
  token: string,
): Date | undefined {
  const given = Buffer.alloc(tokenBytes);
  given.write(token, "base64url");
  if (given.toString("base64url") !== token) return; // only one spelling is valid
  const at = given.readUIntBE(0, timeBytes);
  const isOurs = [APP_SECRET, ...APP_SECRET_PREVIOUS]
    .map((secret) => timingSafeEqual(tokenFor(purpose, secret, email, at), given))
    .includes(true);
  return isOurs ? new Date(at) : undefined;
}
