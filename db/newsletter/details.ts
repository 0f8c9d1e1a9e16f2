/**
 * What is stored of a person besides the address, in columns of these names. One more is added here, in
 * `db/schema/newsletter.ts` and, with its label and what it may be, in `src/fields/subscriber.ts`; its migration in
 * `SHA256SUMS`. The API, forms, lists, files and histories follow. Not so what means more than its text: the page of
 * preferences, the search and conditions name what they offer, and a time zone's consequences are in `change-people.ts`.
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

/** Those that count as well if someone comes back, or is in a file again. The name and the source stay. */
export const laterDetails = detailNames.filter((name) => name !== "name" && name !== "source");

/** What a detail is called within a sentence: `time zone`. */
export const detailWords = (name: DetailName) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** What its column is called, in the database and in files: `time_zone`. */
export const detailColumn = (name: DetailName) => detailWords(name).replaceAll(" ", "_");
