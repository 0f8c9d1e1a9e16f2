/**
 * What is stored of a person besides the address, in columns of these names. One more is added here, in
 * `db/schema/newsletter.ts` and, with its label and what it may be, in `src/fields/subscriber.ts`. The API, forms, lists,
 * files and histories follow; what means more than its text, such as a time zone, does so in `change-people.ts`.
 */
export const detailNames = ["name", "source", "language", "timeZone"] as const;
export type DetailName = (typeof detailNames)[number];
export type Details = { [Name in DetailName]?: string | null | undefined };

/** Makes something of each. */
export function eachDetail<Made>(make: (name: DetailName) => Made): Record<DetailName, Made>;
export function eachDetail(make: (name: DetailName) => unknown): Record<string, unknown> {
  return Object.fromEntries(detailNames.map((name) => [name, make(name)]));
}

/** The values of the columns: a blank text is none. */
export const detailsOf = (details: Details) => eachDetail((name) => details[name] || null);

/** What a detail is called within a sentence: `time zone`. */
export const detailWords = (name: DetailName) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
