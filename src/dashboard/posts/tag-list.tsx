import { z } from "zod";
import * as tags from "../../../db/posts/tags/tags";
import { path, TagList, TagsHead } from "../../../views/dashboard/posts/tags";
import type { Deps } from "../deps";
import { listHandlers } from "../list-handlers";
import { pageNumber, perPage, search } from "../list-query";

const Query = z.object({
  q: search,
  sort: z.enum(["name", "-name", "posts", "-posts"]).catch("name").default("name"),
  page: pageNumber,
  per: perPage,
});

export const { show, doneWith } = listHandlers({
  path,
  title: "Tags",
  Query,
  extras: ["posts.css"],
  Head: () => <TagsHead />,
  list: async ({ deps: { db }, query, frame, state }) => (
    <TagList frame={frame} state={state} {...await tags.list(db, query.q, query.sort, query)} />
  ),
});

export const gone = (deps: Deps, request: Request) =>
  doneWith(deps, request, { kind: "good", text: "This tag has already been deleted." });
