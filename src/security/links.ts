import { createHmac, timingSafeEqual } from "node:crypto";
import { emailKey } from "../../db/lib/email-key";
import { dayMs } from "../../db/lib/time";
import type { Config } from "../platform/config";
import { deriveKey } from "./secrets";

/* Links in emails. A broadcast has one to leave for email programs (`linkToLeave` of `unsubscribe`), and in its text those
   to leave a topic or everything, to one's preferences, to its page in the archive, and to subscribe, for whom it was
   forwarded to (`src/broadcasts/letter/emails.ts`, `views/emails/broadcast.tsx`). An email that asks to confirm has
   `confirmLink` and one to leave, a welcome email the latter and preferences, and one with a person's data its own. */

type Secrets = { BASE_URL: string; APP_SECRET: string; APP_SECRET_PREVIOUS: string[] };
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
const timedToken = (purpose: Purpose, { APP_SECRET }: Secrets, email: string, at: Date): string =>
  tokenFor(purpose, APP_SECRET, email, at.getTime()).toString("base64url");

/** Returns the moment in a token; undefined if the token was not made for this address with an accepted secret. */
function readTimedToken(
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

const unsubscribeMac = (secret: string, email: string) =>
  createHmac("sha256", deriveKey(secret, "unsubscribe/v1")).update(emailKey(email)).digest();

/**
 * Returns the unsubscribe link of an address. It never expires, because people unsubscribe from old emails (D16).
 * Broadcasts have `linkToLeave` instead. Both are followed in `src/api/links/unsubscribe.tsx`.
 */
export const unsubscribeLink = (secrets: Secrets, email: string) =>
  `${secrets.BASE_URL}/api/newsletter/unsubscribe?${new URLSearchParams({ email, token: unsubscribeToken(secrets, email) })}`;

/** Who reads an email of a broadcast: their address, `unsubscribeToken`, and row in `broadcast_recipients`. */
export type EmailReader = { email: string; token: string; row: number };

/**
 * Returns a link to leave that names the email which contained it.
 *
 * @param page the contract's, to which email apps post when their unsubscribe button is pressed (RFC 8058), or the one
 *   that asks first while mail scanners may still be following the links of the text
 * @param topic what to leave, if not everything
 */
export function linkToLeave(
  page: "unsubscribe" | "leave",
  siteUrl: string,
  { email, token, row }: EmailReader,
  topic?: string,
): string {
  const query = new URLSearchParams({ email, token, b: String(row), ...(topic && { topic }) });
  return `${siteUrl}/api/newsletter/${page}?${query}`;
}

/** Returns the token in those links. */
export const unsubscribeToken = ({ APP_SECRET }: Pick<Secrets, "APP_SECRET">, email: string): string =>
  unsubscribeMac(APP_SECRET, email).toString("base64url");

/** Whether `token` was made for this address with the current secret or one in APP_SECRET_PREVIOUS. */
export function isUnsubscribeToken(
  { APP_SECRET, APP_SECRET_PREVIOUS }: Secrets,
  email: string,
  token: string,
): boolean {
  const given = Buffer.alloc(32);
  given.write(token, "base64url");
  const wellFormed = given.toString("base64url") === token; // only one spelling is valid
  const matches = [APP_SECRET, ...APP_SECRET_PREVIOUS].map((secret) =>
    timingSafeEqual(unsubscribeMac(secret, email), given),
  );
  return wellFormed && matches.includes(true);
}

/** How many days a preview link may work. */
export const previewDays = [1, 7, 30] as const;
export type PreviewDays = (typeof previewDays)[number];

/** A draft, and the manager who shared it: the link works as long as they are one. */
type Preview = { postId: string; /** Unknown in links made before this was recorded. */ managerId?: string };

const previewMac = ({ APP_SECRET }: Pick<Config, "APP_SECRET">, { postId, managerId }: Preview, expiresAt: string) =>
  createHmac("sha256", deriveKey(APP_SECRET, "preview/v1"))
    .update([expiresAt, postId, ...(managerId ? [managerId] : [])].join("\n"))
    .digest();

/**
 * Returns a link that shows a draft to anyone who has it, until it expires or its manager is removed. It follows the
 * post, not its slug.
 *
 * @param page where the post is read
 */
export function previewLink(
  config: Pick<Config, "APP_SECRET">,
  { id: postId, page }: { id: string; page: string },
  managerId: string,
  days: PreviewDays,
  now: Date,
) {
  const expiresAt = new Date(now.getTime() + days * dayMs);
  const time = Math.floor(expiresAt.getTime() / 1_000).toString(36);
  const token = [time, postId, managerId, previewMac(config, { postId, managerId }, time).toString("base64url")].join(
    ".",
  );
  const url = new URL(page);
  url.searchParams.set("preview", token);
  return { url: url.href, expiresAt };
}

/**
 * Returns what the token was made for; undefined if it is not ours or has expired. Whether that manager is still one is
 * asked where the draft is read (`previewed` in `db/posts/posts.ts`).
 */
export function previewOf(config: Pick<Config, "APP_SECRET">, token: string, now: Date): Preview | undefined {
  const parts = /^([0-9a-z]{1,9})\.([0-9a-f-]{36})\.(?:([0-9a-f-]{36})\.)?([\w-]{43})$/.exec(token) ?? [];
  const [, time = "", postId = "", managerId, signature = ""] = parts;
  const preview = { postId, ...(managerId !== undefined && { managerId }) };
  const given = Buffer.alloc(32);
  given.write(signature, "base64url");
  const isOurs = timingSafeEqual(previewMac(config, preview, time), given);
  const wellFormed = given.toString("base64url") === signature; // only one spelling is valid
  return isOurs && wellFormed && now.getTime() < Number.parseInt(time, 36) * 1_000 ? preview : undefined;
}
