import { z } from "zod";
import { inputOf } from "../fields/field";
import type { ListState } from "../../views/components/list";
import { type Show, shows } from "../../views/dashboard/people/person";

/* Parameters that every list reads from its URL. An invalid value is ignored, so there is always a list. */

/** Search words. Their length is checked before anything else. */
export const search = z.string().max(1_000).trim().max(200).catch("").default("");
/** Its field, in lists and everywhere else. */
export const searchInput = inputOf("q", search);
/** One of these, or "" for all of them. */
export function oneOf<const T extends string>(options: readonly T[]) {
  const schema: z.ZodType<T | ""> = z.enum([...options, ""]);
  return schema.catch("").default("");
}
/** Text that is compared as it is. 200 UTF-16 units hold 100 characters (D8). */
export const exactly = z.string().max(200).catch("").default("");
export const pageNumber = z.coerce.number().int().min(1).max(1_000_000).catch(1).default(1);
/** Rows on a page. */
export const perPage = z.coerce
  .number()
  .pipe(z.literal([25, 50, 100]))
  .catch(50)
  .default(50);

/** Returns the parameters of a list for its URL, without defaults. */
export function stateOf(
  path: string,
  schema: z.ZodType<Record<string, unknown>>,
  query: Record<string, unknown>,
): ListState {
  const defaults = schema.parse({});
  const changed = Object.entries(query).filter(([name, value]) => value !== defaults[name]);
  return {
    path,
    query: Object.fromEntries(changed.map(([name, value]) => [name, String(value)])),
    longestSearch: searchInput.maxlength,
    ...(typeof defaults.sort === "string" && { initialSort: defaults.sort }),
  };
}

/** The part of a person's timeline that a page shows, and the most that it reads of each kind. */
export function timelineIn({ show }: Record<string, unknown>): { show: Show; most: number } {
  const part = z.enum(shows).catch("everything").parse(show);
  return { show: part, most: part === "everything" ? 10 : 50 };
}
