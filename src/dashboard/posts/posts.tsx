import * as postList from "../../../db/posts/list";
import * as postEdits from "../../../db/posts/edit";
import * as postBulk from "../../../db/posts/bulk";
import * as tags from "../../../db/posts/tags";
import { Confirm } from "../../../views/components/dialog";
import type { Frame, Notice } from "../../../views/components/frame";
import { listUrl } from "../../../views/components/list";
import { path } from "../../../views/dashboard/posts/state";
import { PostList, PostsHead } from "../../../views/dashboard/posts/posts";
import type { Deps } from "../../boot/deps";
import { actorOf } from "../../security/session";
import { ask, done, seeOther, showList } from "../responses";
import { listBefore, undoableSelectionOf } from "../bulk-actions";
import { frameOf, pages } from "../pages";
import { askForTag, PostBulk, postActions, tagIn } from "./bulk";
import { filterOf, Query, stateHere } from "./query";

type Given = Record<string, unknown>;
const title = "Posts";

const selected = (bulk: PostBulk) => undoableSelectionOf(bulk, (given) => filterOf(Query.parse(given)));

/** All posts: found, published, tagged and thrown away, one or many at a time. */
export const postsDashboard = (deps: Deps) =>
  pages(path, deps)
    .get("/", async ({ request, query }) => {
      const frame = await frameOf(deps, request);
      const { list } = await listFor(deps, frame, query);
      return showList(request, { frame, title, extras: ["posts.css"], head: <PostsHead />, list });
    })
    .post("/moves", ({ request, body }) => carryOut(deps, request, body), { body: PostBulk })
    .post("/:id/duplicate", async ({ request, params: { id } }) => {
      const copy = await postEdits.duplicate(deps.db, id, actorOf(request), deps.now());
      if (!copy) return doneWith(deps, request, {}, { kind: "bad", text: "That post was deleted for good." });
      return seeOther(request, `${path}/${copy.id}`, { kind: "good", text: "This is the copy, a draft." });
    })
    .post("/:id/trash", ({ request, params: { id } }) => moveOne(deps, request, id, "trash"))
    .post("/:id/restore", async ({ request, params: { id } }) => {
      const { count } = await postBulk.applyAction(deps.db, "restore", { ids: [id] }, actorOf(request), deps.now());
      return seeOther(request, `${path}/${id}`, { kind: "good", text: count ? "Restored." : tooLate });
    })
    .get("/:id/unpublish", ({ request, params: { id } }) => confirmOne(deps, request, id, "unpublish"))
    .post("/:id/unpublish", async ({ request, params: { id } }) => {
      const { count } = await postBulk.applyAction(deps.db, "unpublish", { ids: [id] }, actorOf(request), deps.now());
      const text = count ? "It is a draft again. Only managers see it." : tooLate;
      return seeOther(request, `${path}/${id}`, { kind: "good", text });
    })
    .get("/:id/delete", ({ request, params: { id } }) => confirmOne(deps, request, id, "delete"))
    .post("/:id/delete", ({ request, params: { id } }) => moveOne(deps, request, id, "delete"));

async function listFor(deps: Deps, frame: Frame, given: Given) {
  const query = Query.parse(given);
  const [listed, counts, suggested] = await Promise.all([
    postList.list(deps.db, filterOf(query), query.sort, query, frame.now),
    postList.counts(deps.db, frame.now),
    tags.mostUsed(deps.db),
  ]);
  const state = stateHere(query);
  const view = { ...{ frame, state, counts, status: query.status, blogUrl: deps.config.BLOG_URL }, ...listed };
  return { state, list: <PostList {...view} tags={suggested} /> };
}

/** The list as it was before, with what was done to it. */
async function doneWith(deps: Deps, request: Request, given: Given, notice: Notice) {
  const frame = await frameOf(deps, request);
  const { state, list } = await listFor(deps, frame, given);
  return done(request, { frame, title, list, back: listUrl(state, { page: state.query.page ?? "" }), notice });
}

async function move(deps: Deps, request: Request, bulk: PostBulk, tag: string) {
  const at = deps.now();
  const moved = await postBulk.applyAction(deps.db, bulk.do, selected(bulk), actorOf(request), at, tag);
  const undo = postActions.undoOf(bulk.do, moved, at, `${path}/moves`);
  const given = listBefore(request, path, bulk.filter);
  return doneWith(deps, request, given, { kind: "good", text: postActions.resultMessage(bulk, moved), ...undo });
}

/** One post is moved by its own button, in its row or in the editor. */
const moveOne = (deps: Deps, request: Request, id: string, what: "trash" | "delete") =>
  move(deps, request, PostBulk.parse({ do: what, ids: id }), "");

/** Tagging asks for the tag, and what is done to several posts is asked about first. */
async function carryOut(deps: Deps, request: Request, bulk: PostBulk) {
  const tag = tagIn(bulk);
  const { do: action, filter = "" } = bulk;
  if ((action === "tag" || action === "untag") && !tag) {
    const [frame, suggested] = await Promise.all([frameOf(deps, request), tags.mostUsed(deps.db)]);
    const names = suggested.map(({ name }) => name);
    return askForTag(request, frame, bulk, names, bulk.tag !== undefined);
  }
  const count = await postBulk.countAffected(deps.db, action, selected(bulk), deps.now(), tag);
  if (postActions.isSure(bulk, count)) return move(deps, request, bulk, tag ?? "");
  const frame = await frameOf(deps, request);
  const more = tag ? { more: { tag }, about: tag } : {};
  return postActions.askFirst(request, bulk, {
    ...{ frame, count, ...more, action: `${path}/moves`, cancel: `${path}?${filter}` },
  });
}

async function confirmOne(deps: Deps, request: Request, id: string, what: "unpublish" | "delete") {
  const [frame, post] = await Promise.all([frameOf(deps, request), postEdits.byId(deps.db, id)]);
  if (!post) return doneWith(deps, request, {}, { kind: "good", text: "Already deleted for good." });
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

const tooLate = "Nothing to do: that was done already, or it is gone.";

const questions = {
  unpublish: {
    verb: "Unpublish post",
    about: "It is no longer there for readers, and links to it lead nowhere until it is published again.",
  },
  delete: { verb: "Delete post for good", about: "It is removed with all its revisions. This cannot be undone." },
};
