import { sql } from "drizzle-orm";

/**
 * What is stored of a person besides the address, in columns of these names. Another one is added here, in
 * `db/schema/newsletter.ts` and in `src/fields/subscriber.ts`; who may say it by key, in `src/people/subscriber-input.ts`.
 */
export type Details = {
  name?: string | null | undefined;
  source?: string | null | undefined;
  language?: string | null | undefined;
  timeZone?: string | null | undefined;
};

/** The values of the columns: a blank text is none. */
export const detailsOf = ({ name, source, language, timeZone }: Details) => ({
  name: name || null,
  source: source || null,
  language: language || null,
  timeZone: timeZone || null,
});

/** The same for statements that are prepared. */
export const detailPlaceholders = {
  name: sql.placeholder("name"),
  source: sql.placeholder("source"),
  language: sql.placeholder("language"),
  timeZone: sql.placeholder("timeZone"),
};
