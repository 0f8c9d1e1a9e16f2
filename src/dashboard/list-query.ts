import { z } from "zod";
import type { ListState } from "../../views/components/list";

/* What every list of the dashboard reads from its URL. Whatever that says, there is a list: a wrong value is no filter. */

/** Words to look for. Their length is asked before anything reads them. */
export const search = z.string().max(1_000).trim().max(200).catch("").default("");
/** One of these, or "" for all of them. */
export function oneOf<const T extends string>(options: readonly T[]) {
  const known: z.ZodType<T | ""> = z.enum([...options, ""]);
  return known.catch("").default("");
}
/** Text that is compared as it is. 200 UTF-16 units hold the 100 characters of D8. */
export const exactly = z.string().max(200).catch("").default("");
export const pageNumber = z.coerce.number().int().min(1).max(1_000_000).catch(1).default(1);
/** Rows on a page. */
export const perPage = z.coerce
  .number()
  .pipe(z.literal([25, 50, 100]))
  .catch(50)
  .default(50);

/** The list's state as its URL says it: defaults are left out. */
export function stateOf(
  path: string,
  schema: z.ZodType<Record<string, unknown>>,
  query: Record<string, unknown>,
): ListState {
  const defaults = schema.parse({});
  const said = Object.entries(query).filter(([name, value]) => value !== defaults[name]);
  return { path, query: Object.fromEntries(said.map(([name, value]) => [name, String(value)])) };
}
