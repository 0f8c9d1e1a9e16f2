import { z } from "zod";
import { viewQuery } from "../../../views/components/lists/saved-views";
import { paths } from "../../../views/paths";
import { field, inputsOf } from "../../fields/field";
import { line } from "../../platform/text/schemas";

const listPath = new RegExp(`^${paths.overview}(/[\\w-]+){1,4}$`);

/** The list and the query of its URL: only paths of the dashboard. */
export const List = z.object({
  list: z.string().max(200).regex(listPath).catch(paths.newsletter),
  query: z
    .string()
    .max(4_000)
    .catch("")
    .transform((query) => viewQuery(Object.fromEntries(new URLSearchParams(query)))),
});
export type List = z.output<typeof List>;

export const Name = z.object({
  name: field(line({ min: 1, max: 60 }), {
    label: "Name",
    hint: "Shown above the list, to you alone. It keeps the search, the filters and the order.",
  }),
});
export const { name: nameInput } = inputsOf(Name);
