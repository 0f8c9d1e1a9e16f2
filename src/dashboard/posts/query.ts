import { z } from "zod";
import type { PostFilter } from "../../../db/posts/list";
import type { ListState } from "../../../views/components/list";
import { path } from "../../../views/dashboard/posts/state";
import { exactly, oneOf, pageNumber, perPage, search, stateOf } from "../list-query";

/** The list's parameters in the URL. */
export const Query = z.object({
  q: search,
  status: oneOf(["draft", "scheduled", "published", "trash"]),
  tag: exactly,
  sort: z
    .enum(["published", "-published", "title", "-title", "views", "-views"])
    .catch("-published")
    .default("-published"),
  page: pageNumber,
  per: perPage,
});
export type Query = z.output<typeof Query>;

export const filterOf = ({ q, status, tag }: Query): PostFilter => ({
  q: q || undefined,
  status: status || undefined,
  tag: tag || undefined,
});

export const stateHere = (query: Query): ListState => stateOf(path, Query, query);
