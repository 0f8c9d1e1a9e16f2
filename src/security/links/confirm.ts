import { readTimedToken, type Secrets, timedToken } from "./timed";

/**
 * Returns the link in a confirmation email. It signs the moment at which the address became pending, so that it is
 * worthless for a later subscription. How long it works is decided where it is followed.
 */
export function confirmLink(secrets: Secrets, email: string, askedAt: Date): string {
  const token = timedToken("confirm/v1", secrets, email, askedAt);
  return `${secrets.BASE_URL}/api/newsletter/confirm?${new URLSearchParams({ email, token })}`;
}

/** Returns when the address became pending; undefined if the token was not made for it with an accepted secret. */
export const readConfirmToken = (secrets: Secrets, email: string, token: string): Date | undefined =>
  readTimedToken("confirm/v1", secrets, email, token);
