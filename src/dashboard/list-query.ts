import { z } from "zod";
import { type ListState, number } from "../../views/components/list";

/*
 * What every list of the dashboard reads from its URL, and what every form with boxes sends. Whatever a URL says, there
 * is a list: a wrong value is no filter.
 */

/** Words to look for. */
export const search = z.string().trim().max(200).catch("").default("");
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

/** The rows a form chose: by their boxes, at most a thousand, or all that match the filter it was shown with. */
export const choice = {
  ids: z
    .union([z.string(), z.array(z.string())])
    .default([])
    .transform((ids) => [ids].flat().slice(0, 1_000)),
  all: z.literal("matching").optional().catch(undefined),
  filter: z.string().default(""),
};

/** The answer to a question: that it was asked and, for more than a hundred rows, their number in writing. */
export const answer = { confirmed: z.string().optional(), typed: z.string().optional() };

export const fromFilter = (filter: string) => Object.fromEntries(new URLSearchParams(filter));

/** Whether the answer is yes, to a question about so many rows. */
export const isConfirmed = (
  { confirmed, typed = "" }: { confirmed?: string | undefined; typed?: string | undefined },
  count: number,
) => confirmed === "yes" && (count <= 100 || Number(typed.replace(/\D/g, "") || "0") === count);

/** What a question about so many rows asks to be typed, and what to say when something else was. */
export const typing = (count: number, typed: string | undefined, rows: string) =>
  count <= 100
    ? {}
    : { typed: count, error: typed === undefined ? undefined : `Type ${number(count)}, the number of ${rows}.` };
