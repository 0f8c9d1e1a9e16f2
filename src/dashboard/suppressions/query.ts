import { z } from "zod";
import type { SuppressionFilter } from "../../../db/suppressions/list";
import { paths } from "../../../views/paths";
import { oneOf, pageNumber, perPage, search, stateOf } from "../list-query";

export const path = paths.suppressions;

/** The list's parameters in the URL. */
export const Query = z.object({
  q: search,
  reason: oneOf(["bounce", "complaint", "provider", "manual", "erased", "import"]),
  page: pageNumber,
  per: perPage,
});
type Query = z.output<typeof Query>;

export const filterOf = ({ q, reason }: Query): SuppressionFilter => ({
  q: q || undefined,
  reason: reason || undefined,
});

export const stateHere = (query: Query) => stateOf(path, Query, query);
