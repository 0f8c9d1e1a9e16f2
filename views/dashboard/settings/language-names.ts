import type { Language } from "../../../db/settings/languages";

/** Each in its own language, and in that of the dashboard. */
export const languageNames: Record<Language, string> = {
  en: "English",
  de: "Deutsch (German)",
  fr: "Français (French)",
  es: "Español (Spanish)",
  pt: "Português do Brasil (Portuguese)",
  nl: "Nederlands (Dutch)",
};
