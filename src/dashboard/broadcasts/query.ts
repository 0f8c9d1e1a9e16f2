import { z } from "zod";
import type { BroadcastFilter } from "../../../db/broadcasts/list";
import type { ListState } from "../../../views/components/list";
import { path } from "../../../views/dashboard/broadcasts/state";
import { oneOf, pageNumber, perPage, search, stateOf } from "../list-query";

/** The list's parameters in the URL. */
export const Query = z.object({
  q: search,
  tab: oneOf(["drafts", "scheduled", "sending", "sent", "trash"]),
  page: pageNumber,
  per: perPage,
});
type Query = z.output<typeof Query>;

export const filterOf = ({ q, tab }: Query): BroadcastFilter => ({ q: q || undefined, tab: tab || "all" });

export const stateHere = (query: Query): ListState => stateOf(path, Query, query);
