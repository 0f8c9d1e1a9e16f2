import { z } from "zod";
import { periodFields, periodOf } from "../period";
import type { MessageFilter } from "../../../db/contact/list";
import type { ListState } from "../../../views/components/list";
import { exactly, pageNumber, perPage, search, stateOf } from "../list-query";
import { paths } from "../../../views/paths";

export const path = paths.contact;

/** The list's parameters in the URL. */
export const Query = z.object({
  q: search,
  box: z.enum(["inbox", "archived", "quarantine", "spam", "trash"]).catch("inbox").default("inbox"),
  source: exactly,
  ...periodFields,
  page: pageNumber,
  per: perPage,
});
export type Query = z.output<typeof Query>;

export const filterOf = ({ box, q, source, ...days }: Query, timeZone: string): MessageFilter => ({
  ...periodOf(days, timeZone),
  box,
  q: q || undefined,
  source: source || undefined,
});

export const stateHere = (query: Query): ListState => stateOf(path, Query, query);
