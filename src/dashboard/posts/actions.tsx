import * as postBulk from "../../../db/posts/bulk";
import * as postEdits from "../../../db/posts/edit";
import * as tags from "../../../db/posts/tags/tags";
import { Confirm } from "../../../views/components/confirm";
import type { Notice } from "../../../views/components/frame";
import { path } from "../../../views/dashboard/posts/state";
import type { Deps } from "../deps";
import { actorOf } from "../../security/session/session";
import { listBefore, undoableSelectionOf } from "../bulk-request";
import { frameOf } from "../pages";
import { ask, seeOther } from "../responses";
import { askForTag } from "./ask-for-tag";
import { postActions, PostBulk, tagIn } from "./bulk";
import { doneWith } from "./list";
import { filterOf, Query } from "./query";

/** How an action changes the posts, and what is shown afterwards. */
function changeOf(deps: Deps, request: Request, bulk: PostBulk, tag?: string) {
  const { do: action, filter } = bulk;
  const selected = undoableSelectionOf(bulk, (given) => filterOf(Query.parse(given)));
  return {
    count: () => postBulk.countAffected(deps.db, { action, selection: selected, tagName: tag }, deps.now()),
    apply: (at: Date) =>
      postBulk.applyAction(deps.db, { action, selection: selected, tagName: tag }, actorOf(request), at),
    finish: (notice: Notice) => doneWith(deps, request, listBefore(request, path, filter), notice),
    action: `${path}/bulk`,
    cancel: `${path}?${filter ?? ""}`,
    ...(tag && { more: { tag }, about: tag }),
  };
}

/** Applies an action to one post, from its row or the editor. */
export function moveOne(deps: Deps, request: Request, id: string, action: "trash" | "delete") {
  const bulk = PostBulk.parse({ do: action, ids: id });
  return postActions.change(deps, bulk, changeOf(deps, request, bulk));
}

/** Applies an action to the selected posts. Tagging asks for the tag. */
export async function changeSelected(deps: Deps, request: Request, bulk: PostBulk) {
  const tag = tagIn(bulk);
  if ((bulk.do === "tag" || bulk.do === "untag") && !tag) {
    const [frame, suggested] = await Promise.all([frameOf(deps, request), tags.mostUsed(deps.db)]);
    const names = suggested.map(({ name }) => name);
    return askForTag(request, frame, bulk, names, bulk.tag !== undefined);
  }
  return postActions.askOrChange(deps, request, bulk, changeOf(deps, request, bulk, tag));
}

/** Creates a copy as a draft. */
export async function duplicate(deps: Deps, request: Request, id: string) {
  const copy = await postEdits.duplicate(deps.db, id, actorOf(request), deps.now());
  if (!copy) return doneWith(deps, request, {}, { kind: "bad", text: "This post was permanently deleted." });
  return seeOther(request, `${path}/${copy.id}`, { kind: "good", text: "Copy created as a draft." });
}

/** Restores or unpublishes one post, on its own page. */
export async function changeInEditor(deps: Deps, request: Request, id: string, action: "restore" | "unpublish") {
  const { count } = await postBulk.applyAction(
    deps.db,
    { action, selection: { ids: [id] } },
    actorOf(request),
    deps.now(),
  );
  return seeOther(request, `${path}/${id}`, { kind: "good", text: count ? results[action] : tooLate });
}

const results = { restore: "Restored.", unpublish: "Moved back to drafts. Only managers can see it." };
const tooLate = "Nothing changed: already done or deleted.";

/** Asks before one post is unpublished or permanently deleted. */
export async function confirmOne(deps: Deps, request: Request, id: string, what: "unpublish" | "delete") {
  const [frame, post] = await Promise.all([frameOf(deps, request), postEdits.byId(deps.db, id)]);
  if (!post) return doneWith(deps, request, {}, { kind: "good", text: "Already permanently deleted." });
  const question = questions[what];
  const back = `${path}/${id}`;
  return ask(request, {
    frame,
    title: `${question.verb}?`,
    children: (
      <Confirm frame={frame} action={`${back}/${what}`} verb={question.verb} cancel={back}>
        <p>
          <strong class="wrap">{post.title}</strong>
        </p>
        <p>{question.about}</p>
      </Confirm>
    ),
  });
}

const questions = {
  unpublish: {
    verb: "Unpublish post",
    about: "Readers will no longer see it, and links to it will not work until you publish it again.",
  },
  delete: {
    verb: "Permanently delete post",
    about: "The post and all its revisions will be permanently deleted. This cannot be undone.",
  },
};
