import { isHourlyLimit, parseHourlyLimit } from "../limits/hourly-limits";
import { languages } from "./languages";
import { looksSecret } from "./secret-names";
import { maxWelcome, welcomeKeys, welcomeLinks } from "./welcome";
import { languageKey } from "./key-rules";

type Refusal = "secret" | "malformed";
/** Why a setting cannot be saved: its key, or the value of a limit or of a setting with few valid values. */
export type Problem = Refusal | "limit" | "choice" | "length";

/** Whether the value is valid for this setting. An empty one means the default. */
export function isValidValue(key: string, value: string): boolean {
  if (!value) return true;
  if (isHourlyLimit(key)) return parseHourlyLimit(value) !== undefined;
  const max = maxLengthOf(key);
  const isShort = value.length <= 2 * max && [...value].length <= max; // in characters, as the request schemas count
  return isShort && (choices.get(key)?.includes(value) ?? true);
}

/** The valid values of settings that have only a few. */
export const choices = new Map<string, readonly string[]>([
  ["doubleOptIn", ["true", "false"]],
  [languageKey, languages],
  [welcomeKeys.links, welcomeLinks],
]);

/** The maximum length in characters. */
export function maxLengthOf(key: string): number {
  if (key === welcomeKeys.subject) return maxWelcome.subject;
  return key === welcomeKeys.text ? maxWelcome.text : 2_000;
}

/** Returns why no setting may have this key; undefined if it is allowed. */
export function refusalOf(key: string): Refusal | undefined {
  if (looksSecret(key)) return "secret";
  return /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(key) ? undefined : "malformed";
}

/** Returns why no setting may have this key or value; undefined if it can be saved. */
export function problemOf(key: string, value: string): Problem | undefined {
  if (isValidValue(key, value)) return refusalOf(key);
  return refusalOf(key) ?? (isHourlyLimit(key) ? "limit" : choices.has(key) ? "choice" : "length");
}
