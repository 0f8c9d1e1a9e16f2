/**
 * The texts of the welcome email, as managers wrote them. If one is not set, its default in the site's language is
 * sent.
 */
export const welcomeKeys = { subject: "welcomeSubject", text: "welcomeText", links: "welcomeLinks" } as const;

/** What the welcome email links to below its text. */
export const welcomeLinks = ["posts", "newsletters", "none"] as const;

/** "" stands for the default. */
export type WelcomeWords = { subject: string; text: string; links: (typeof welcomeLinks)[number] };

/** characters; a text that takes minutes to read is no welcome */
export const maxWelcome = { subject: 150, text: 10_000 };

const keys: ReadonlySet<string> = new Set(Object.values(welcomeKeys));
export const isWelcomeKey = (key: string) => keys.has(key);

/** Picks the texts from these settings. */
export function welcomeWordsOf(settings: { key: string; value: string }[]): WelcomeWords {
  const valueOf = (key: string) => settings.find((one) => one.key === key)?.value ?? "";
  const links = welcomeLinks.find((one) => one === valueOf(welcomeKeys.links)) ?? "posts";
  return { subject: valueOf(welcomeKeys.subject), text: valueOf(welcomeKeys.text), links };
}
