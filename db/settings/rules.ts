import { isTimeZone } from "../lib/time";
import { normalized } from "../lib/text";
import { isHourlyLimit, parseHourlyLimit } from "../limits/hourly-limits";
import { languageKey, timeZoneKey } from "../schema/settings";

/**
 * The texts of the welcome email, as managers wrote them. If one is not set, its default in the site's language is
 * sent.
 */
export const welcomeKeys = { subject: "welcomeSubject", text: "welcomeText", links: "welcomeLinks" } as const;

/** What the welcome email links to below its text. */
const welcomeLinks = ["posts", "newsletters", "none"] as const;

/** "" stands for the default. */
export type WelcomeWords = { subject: string; text: string; links: (typeof welcomeLinks)[number] };

/** In characters. */
export const maxWelcome = { subject: 150, text: 10_000 };

const keys: ReadonlySet<string> = new Set(Object.values(welcomeKeys));
export const isWelcomeKey = (key: string) => keys.has(key);

/** Picks the texts from these settings. */
export function welcomeWordsOf(settings: { key: string; value: string }[]): WelcomeWords {
  const valueOf = (key: string) => settings.find((one) => one.key === key)?.value ?? "";
  const links = welcomeLinks.find((one) => one === valueOf(welcomeKeys.links)) ?? "posts";
  return { subject: valueOf(welcomeKeys.subject), text: valueOf(welcomeKeys.text), links };
}

/** The keys of the contract (spec part 2), which are always public. */
export const contractKeys = [
  "name",
  "jobTitle",
  "email",
  "github",
  "linkedin",
  "siteTitle",
  "siteDescription",
  "siteKeywords",
  "googleAnalyticsId",
] as const;

export { languageKey, timeZoneKey };

/**
 * What emails to subscribers and the pages for visitors look like, who writes them, and whether replies to broadcasts are
 * read: "false" leaves out the Reply-To, and says so. Public: sites may look alike.
 */
export const brandKeys = {
  accent: "brandAccent",
  author: "brandAuthor",
  footer: "brandFooter",
  /** The path of a picture in Storage, which makes it public. */
  logo: "brandLogo",
  replies: "brandReplies",
} as const;

/** The URL of a post on the site that shows it, with `{slug}`. It is public: sites may link to each other. */
export const postUrlKey = "postUrl";

/** Whether it is an http(s) URL without credentials that has `{slug}` once, after the host. */
function isPostUrl(text: string): boolean {
  const url = text.split("{slug}").length === 2 ? URL.parse(text.replace("{slug}", "a")) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return false;
  return URL.parse(text.replace("{slug}", "b"))?.host === url.host && !/\s/.test(text);
}

/** The sender's postal address, at the end of emails to subscribers, whether or not it is public. */
export const postalAddressKey = "postalAddress";

/** Keys that have a field of their own and are always public. */
export const siteKeys: ReadonlySet<string> = new Set([
  ...contractKeys,
  languageKey,
  postUrlKey,
  ...Object.values(brandKeys),
]);

/** Whether people confirm by email before they are subscribed: "true" or "false". */
export const doubleOptInKey = "doubleOptIn";

const forOwners: ReadonlySet<string> = new Set(["name", "email", postalAddressKey, doubleOptInKey]);

/** Settings that control the service itself: no API key can read them, even if they are marked public. */
const isInternal = (key: string) => isHourlyLimit(key) || isWelcomeKey(key);

/**
 * Whether the setting decides where email goes, who is named as the sender, or what is held back; only owners may
 * change it.
 */
export const isForOwners = (key: string) => forOwners.has(key) || isHourlyLimit(key);

/**
 * A setting that is neither always public nor internal. Managers add those; a few of them have fields of their own
 * (`hasField` in `src/dashboard/settings/fields.ts`).
 */
export const isCustom = (key: string) => !siteKeys.has(key) && !isInternal(key);

/**
 * Whether the API shows the setting: those with a field of their own always, those that control the service never, and
 * custom ones if a manager chose so (D27).
 */
export const isReadable = (key: string, isChosen: boolean) => siteKeys.has(key) || (!isInternal(key) && isChosen);

/** The languages that visitors and subscribers may read; each has a file of texts in `views/languages`. */
export const languages = ["en", "de", "fr", "es", "pt", "nl"] as const;
export type Language = (typeof languages)[number];

/** Parses the setting; English by default. */
export const languageOf = (value: string | undefined): Language => languages.find((one) => one === value) ?? "en";

const secretWords =
  /secret|token|passw|passphrase|passcode|private|credential|bearer|(api|access|auth|client|encryption|signing|master|service)key/;
const secretEndings = new Set(["key", "pass", "pwd", "pat", "jwt", "dsn", "salt", "pin", "otp", "totp"]);
const publicKeys = /(site|public)key$/; // keys that sites show to everyone

/** Whether the name of a setting suggests a secret: "smtpPassword", "STRIPE_API-KEY". */
export function looksSecret(name: string): boolean {
  const words = normalized(name, "NFKC")
    .replace(/([a-z0-9])(?=[A-Z])/g, "$1 ")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  const joined = words.join("");
  return secretWords.test(joined) || (secretEndings.has(words.at(-1) ?? "") && !publicKeys.test(joined));
}

type Refusal = "secret" | "malformed";
/** Why a setting cannot be saved: its key, or what kind of value it needs. */
export type Problem = Refusal | "limit" | "choice" | "url" | "color" | "picture" | "length";

/** Whether the value is valid for this setting. An empty one means the default. */
export function isValidValue(key: string, value: string): boolean {
  if (!value) return true;
  if (isHourlyLimit(key)) return parseHourlyLimit(value) !== undefined;
  if (key === postUrlKey) return value.length <= maxPostUrl && isPostUrl(value);
  if (key === timeZoneKey) return isTimeZone(value);
  if (key === brandKeys.accent) return /^#[0-9a-f]{6}$/i.test(value);
  if (key === brandKeys.logo) return value.length <= maxPicturePath && /^\/media\/[\w-]{36}\/[^\s/?#]+$/.test(value);
  const max = maxLengthOf(key);
  const isShort = value.length <= 2 * max && [...value].length <= max; // in characters, as the request schemas count
  return isShort && (choices.get(key)?.includes(value) ?? true);
}

/** The valid values of settings that have only a few. */
export const choices = new Map<string, readonly string[]>([
  [doubleOptInKey, ["true", "false"]],
  [brandKeys.replies, ["true", "false"]],
  [languageKey, languages],
  [welcomeKeys.links, welcomeLinks],
]);

const maxPostUrl = 300;
const maxPicturePath = 1_000;

/** The maximum length in characters. */
export function maxLengthOf(key: string): number {
  if (key === postUrlKey) return maxPostUrl;
  if (key === brandKeys.logo) return maxPicturePath;
  if (key === welcomeKeys.subject) return maxWelcome.subject;
  return key === welcomeKeys.text ? maxWelcome.text : 2_000;
}

/** Returns why no setting may have this key; undefined if it is allowed. */
export function refusalOf(key: string): Refusal | undefined {
  if (looksSecret(key)) return "secret";
  return /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(key) ? undefined : "malformed";
}

/** What kind of value the setting needs. */
function kindOf(key: string): Problem {
  if (isHourlyLimit(key)) return "limit";
  if (key === postUrlKey) return "url";
  if (key === brandKeys.accent) return "color";
  if (key === brandKeys.logo) return "picture";
  return choices.has(key) ? "choice" : "length";
}

/** Returns why no setting may have this key or value; undefined if it can be saved. */
export function problemOf(key: string, value: string): Problem | undefined {
  if (isValidValue(key, value)) return refusalOf(key);
  return refusalOf(key) ?? kindOf(key);
}
