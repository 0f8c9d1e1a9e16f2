import { isHourlyLimit } from "../limits/hourly-limits";
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

/** The language of what visitors, subscribers and feed readers read. It is public too, because sites may follow it. */
export const languageKey = "language";

/** The sender's postal address, at the end of emails to subscribers, whether or not it is public. */
export const postalAddressKey = "postalAddress";

/** Keys that have a field of their own and are always public. */
export const siteKeys: ReadonlySet<string> = new Set([...contractKeys, languageKey]);

const forOwners: ReadonlySet<string> = new Set(["name", "email", postalAddressKey, "doubleOptIn"]);

/** Settings that control the service itself: no API key can read them, even if they are marked public. */
const isInternal = (key: string) => isHourlyLimit(key) || isWelcomeKey(key);

/**
 * Whether the setting decides where email goes, who is named as the sender, or what is held back; only owners may
 * change it.
 */
export const isForOwners = (key: string) => forOwners.has(key) || isHourlyLimit(key);

/** A setting that managers added, without a field on the settings page. */
export const isCustom = (key: string) => !siteKeys.has(key) && !isInternal(key);

/**
 * Whether the API shows the setting: those with a field of their own always, those that control the service never, and
 * custom ones if a manager chose so (D27).
 */
export const isReadable = (key: string, isChosen: boolean) => siteKeys.has(key) || (!isInternal(key) && isChosen);
