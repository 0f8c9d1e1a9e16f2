import { sql } from "drizzle-orm";

/** What is stored of a person besides the address, in columns of these names. */
export type Details = {
  name?: string | null | undefined;
  source?: string | null | undefined;
  language?: string | null | undefined;
};

/** The values of the columns: a blank text is none. */
export const detailsOf = ({ name, source, language }: Details) => ({
  name: name || null,
  source: source || null,
  language: language || null,
});

/** The same for statements that are prepared. */
export const detailPlaceholders = {
  name: sql.placeholder("name"),
  source: sql.placeholder("source"),
  language: sql.placeholder("language"),
};
