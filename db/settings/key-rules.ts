import { isHourlyLimit } from "../hourly-limits";
import { isWelcomeKey } from "./welcome";

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

/** What the site is read in: of visitors, subscribers and feeds. Public too, because sites may follow it. */
export const languageKey = "language";

/** Where the sender of the newsletter can be written to, at the end of emails to subscribers. */
export const postalAddressKey = "postalAddress";

/** Keys with a field of their own that the API always shows. */
export const siteKeys: ReadonlySet<string> = new Set([...contractKeys, languageKey]);

const forOwners: ReadonlySet<string> = new Set(["name", "email", postalAddressKey, "doubleOptIn"]);

/** Settings that control the service itself: no API key can read them, even if they are marked public. */
export const isInternal = (key: string) => isHourlyLimit(key) || isWelcomeKey(key);

/**
 * Whether the setting decides where email goes, who is named as the sender, or what is held back; only owners may
 * change it (P75).
 */
export const isForOwners = (key: string) => forOwners.has(key) || isHourlyLimit(key);

/** A setting that managers added, without a field on the settings page. */
export const isCustom = (key: string) => !siteKeys.has(key) && !isInternal(key);
