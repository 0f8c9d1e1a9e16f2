import { z } from "zod";
import * as tags from "../../../db/posts/tags/tags";
import type { Frame, Notice } from "../../../views/components/frame";
import { listUrl } from "../../../views/components/list";
import { path, TagList } from "../../../views/dashboard/posts/tags";
import type { Deps } from "../deps";
import { done, queryBefore } from "../responses";
import { pageNumber, perPage, search, stateOf } from "../list-query";
import { frameOf } from "../pages";

const Query = z.object({
  q: search,
  sort: z.enum(["name", "-name", "posts", "-posts"]).catch("name").default("name"),
  page: pageNumber,
  per: perPage,
});
export const title = "Tags";

/** Reads the list of tags for these parameters. */
export async function listFor(deps: Deps, frame: Frame, given: Record<string, unknown>) {
  const query = Query.parse(given);
  const state = stateOf(path, Query, query);
  return { state, list: <TagList {...{ frame, state }} {...await tags.list(deps.db, query.q, query.sort, query)} /> };
}

/** Responds after an action: the list as it was filtered, with a notice. */
export async function doneWith(deps: Deps, request: Request, notice: Notice) {
  const frame = await frameOf(deps, request);
  const { state, list } = await listFor(deps, frame, queryBefore(request, path));
  return done(request, { frame, title, list, back: listUrl(state, { page: state.query.page ?? "" }), notice });
}

export const gone = (deps: Deps, request: Request) =>
  doneWith(deps, request, { kind: "good", text: "This tag has already been deleted." });
