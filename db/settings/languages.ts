/** The languages that visitors and subscribers may read; each has a file of texts in `views/languages`. */
export const languages = ["en", "de", "fr", "es", "pt", "nl"] as const;
export type Language = (typeof languages)[number];

/** Parses the setting; English by default. */
export const languageOf = (value: string | undefined): Language => languages.find((one) => one === value) ?? "en";
