import { z } from "zod";
import type { MessageFilter } from "../../db/messages";
import type { ListState } from "../../views/components/list";

export const path = "/dashboard/contact";

/** What the URL says about the list. Whatever it says, there is a list: a wrong value is no filter. */
export const Query = z.object({
  q: z.string().trim().max(200).catch("").default(""),
  box: z.enum(["inbox", "archived", "spam", "trash"]).catch("inbox").default("inbox"),
  source: z.string().max(200).catch("").default(""), // UTF-16: twice the 100 characters of D8
  page: z.coerce.number().int().min(1).max(1_000_000).catch(1).default(1),
  per: z.coerce
    .number()
    .pipe(z.literal([25, 50, 100]))
    .catch(50)
    .default(50),
});
export type Query = z.output<typeof Query>;

export const filterOf = ({ box, q, source }: Query): MessageFilter => ({
  box,
  q: q || undefined,
  source: source || undefined,
});

/** The list's state as its URL says it: defaults are left out. */
export function stateOf(query: Query): ListState {
  const defaults = Query.parse({});
  const said = Object.entries(query).filter(([name, value]) => value !== defaults[name as keyof Query]);
  return { path, query: Object.fromEntries(said.map(([name, value]) => [name, String(value)])) };
}
