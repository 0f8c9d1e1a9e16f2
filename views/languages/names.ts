import type { Language } from "../../db/settings/rules";

/** Each language in its own name, and in English. */
export const languageNames: Record<Language, string> = {
  en: "English",
  de: "Deutsch (German)",
  fr: "Français (French)",
  es: "Español (Spanish)",
  pt: "Português do Brasil (Portuguese)",
  nl: "Nederlands (Dutch)",
};

/** Each language in its own name alone, as the people read it who speak it. */
export const ownNames: Record<Language, string> = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
  es: "Español",
  pt: "Português",
  nl: "Nederlands",
};

/** What is chosen for people whose language or time zone no one has set. */
export const sameAsSite = "Same as the site";

/** The language of a person as managers read it; null is the site's. */
export const languageLabel = (language: string | null): string =>
  new Map<string, string>(Object.entries(languageNames)).get(language ?? "") ?? sameAsSite;
