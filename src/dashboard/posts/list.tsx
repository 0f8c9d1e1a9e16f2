import * as postList from "../../../db/posts/list";
import * as tags from "../../../db/posts/tags/tags";
import type { Frame, Notice } from "../../../views/components/frame";
import { listUrl } from "../../../views/components/list";
import { PostList } from "../../../views/dashboard/posts/posts";
import type { Deps } from "../deps";
import { frameOf } from "../pages";
import { done } from "../responses";
import { filterOf, Query, stateHere } from "./query";

type Given = Record<string, unknown>;
export const title = "Posts";

/** Reads the list for these parameters. */
export async function listFor(deps: Deps, frame: Frame, given: Given) {
  const query = Query.parse(given);
  const [listed, counts, suggested] = await Promise.all([
    postList.list(deps.db, { filter: filterOf(query), sort: query.sort }, query, frame.now),
    postList.counts(deps.db, frame.now),
    tags.mostUsed(deps.db),
  ]);
  const state = stateHere(query);
  const view = { frame, state, counts, status: query.status, blogUrl: deps.config.BLOG_URL, ...listed };
  return { state, list: <PostList {...view} tags={suggested} /> };
}

/** Responds after an action: the list as it was filtered, with a notice. */
export async function doneWith(deps: Deps, request: Request, given: Given, notice: Notice) {
  const frame = await frameOf(deps, request);
  const { state, list } = await listFor(deps, frame, given);
  return done(request, { frame, title, list, back: listUrl(state, { page: state.query.page ?? "" }), notice });
}
