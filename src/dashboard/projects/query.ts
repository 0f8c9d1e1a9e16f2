import { z } from "zod";
import type { ProjectFilter } from "../../../db/projects/list";
import { type ListState, listUrl } from "../../../views/components/list";
import { oneOf, pageNumber, perPage, search, stateOf } from "../list-query";
import { paths } from "../../../views/paths";

export const path = paths.projects;

/** The list's parameters in the URL. */
export const Query = z.object({
  q: search,
  status: oneOf(["PUBLISHED", "DRAFT", "ARCHIVED", "trash"]),
  page: pageNumber,
  per: perPage,
});
export type Query = z.output<typeof Query>;

export const filterOf = ({ q, status }: Query): ProjectFilter => ({ q: q || undefined, status: status || undefined });

export const stateHere = (query: Query): ListState => stateOf(path, Query, query);

/** Returns the URL of the list as it was filtered. */
export const stateUrl = (query: Record<string, string>) =>
  listUrl(stateHere(Query.parse(query)), query.page ? { page: query.page } : {});
