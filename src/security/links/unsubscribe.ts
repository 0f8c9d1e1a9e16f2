import { createHmac, timingSafeEqual } from "node:crypto";
import { emailKey } from "../../../db/lib/email-key";
import { deriveKey } from "../secrets";

type Secrets = { BASE_URL: string; APP_SECRET: string; APP_SECRET_PREVIOUS: string[] };

const sign = (secret: string, email: string) =>
  createHmac("sha256", deriveKey(secret, "unsubscribe/v1")).update(emailKey(email)).digest();

/** Returns the unsubscribe link of an address. It never expires, because people unsubscribe from old emails (D16). */
export const unsubscribeLink = (secrets: Secrets, email: string) =>
  `${secrets.BASE_URL}/api/newsletter/unsubscribe?${new URLSearchParams({ email, token: unsubscribeToken(secrets, email) })}`;

/** Returns the token in that link. */
export const unsubscribeToken = ({ APP_SECRET }: Pick<Secrets, "APP_SECRET">, email: string): string =>
  sign(APP_SECRET, email).toString("base64url");

/** Whether `token` was made for this address with the current secret or a previous one that is still accepted. */
export function isUnsubscribeToken(
  { APP_SECRET, APP_SECRET_PREVIOUS }: Secrets,
  email: string,
  token: string,
): boolean {
  const given = Buffer.alloc(32);
  given.write(token, "base64url");
  const wellFormed = given.toString("base64url") === token; // only one spelling is valid
  const matches = [APP_SECRET, ...APP_SECRET_PREVIOUS].map((secret) => timingSafeEqual(sign(secret, email), given));
  return wellFormed && matches.includes(true);
}
