/** What visitors and subscribers may read; the texts are in `views/languages`, one file each. */
export const languages = ["en", "de", "fr", "es", "pt", "nl"] as const;
export type Language = (typeof languages)[number];

/** The language of that setting; English where there is none. */
export const languageOf = (value: string | undefined): Language => languages.find((one) => one === value) ?? "en";
