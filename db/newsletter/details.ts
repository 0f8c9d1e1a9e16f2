import { sql } from "drizzle-orm";
import type { Orm } from "../engine/open";
import { type Field, type FieldValue, valueOf } from "./field-values";
import { allFields, valuesOf } from "./fields";
import { tagsOf } from "./tags";
import { topicsOf } from "./topics";

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

/** What is known of a subscriber beyond the columns of the row. */
export type KnownOfPerson = {
  tags: string[];
  /** In their order; those that the person left have `chosen` false. */
  topics: { slug: string; name: string; chosen: boolean }[];
  fields: { field: Field; value: FieldValue }[];
};

/** Returns what is known of these subscribers, by their rows. */
export async function knownOf(orm: Orm, rows: number[]): Promise<Map<number, KnownOfPerson>> {
  const [tags, topics, values] = [await tagsOf(orm, rows), await topicsOf(orm, rows), await valuesOf(orm, rows)];
  const fields = values.size ? await allFields(orm) : [];
  return new Map(
    rows.map((row) => [
      row,
      {
        tags: (tags.get(row) ?? []).map(({ name }) => name),
        topics: (topics.get(row) ?? []).map(({ topic: { slug, name }, chosen }) => ({ slug, name, chosen })),
        fields: fields.flatMap((field) => {
          const stored = values.get(row)?.get(field.row);
          const value = stored && valueOf(field, stored);
          return value === undefined ? [] : [{ field, value }];
        }),
      },
    ]),
  );
}

export const nothingKnown: KnownOfPerson = { tags: [], topics: [], fields: [] };
