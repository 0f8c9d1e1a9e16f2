import { readTimedToken, type Secrets, timedToken } from "./timed";
import { unsubscribeToken } from "./unsubscribe";

/** Where people set what they read. Its token is that of the unsubscribe link, which proves the same (D16). */
export const preferencesLink = (secrets: Secrets, email: string): string =>
  preferencesUrl(secrets.BASE_URL, { email, token: unsubscribeToken(secrets, email) });

/** The same with a token that was made earlier, for emails that are written from frozen data. */
export const preferencesUrl = (siteUrl: string, { email, token }: { email: string; token: string }): string =>
  `${siteUrl}/newsletter/preferences?${new URLSearchParams({ email, token })}`;

/** Returns the link to everything that is stored under an address, which is emailed there on request. */
export function recordLink(secrets: Secrets, email: string, askedAt: Date): string {
  const token = timedToken("record/v1", secrets, email, askedAt);
  return `${secrets.BASE_URL}/newsletter/record?${new URLSearchParams({ email, token })}`;
}

/** Returns when it was asked for; undefined if the token was not made for the address. */
export const readRecordToken = (secrets: Secrets, email: string, token: string): Date | undefined =>
  readTimedToken("record/v1", secrets, email, token);
