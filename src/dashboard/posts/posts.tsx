import * as desk from "../../../db/posts/list";
import * as edits from "../../../db/posts/edit";
import * as moves from "../../../db/posts/bulk";
import * as tags from "../../../db/posts/tags";
import { Confirm } from "../../../views/components/dialog";
import type { Frame, Notice } from "../../../views/components/frame";
import { listUrl } from "../../../views/components/list";
import { path } from "../../../views/dashboard/posts/state";
import { PostList, PostsHead } from "../../../views/dashboard/posts/posts";
import type { Deps } from "../../boot/deps";
import { actorOf } from "../../security/session";
import { ask, done, queryBefore, seeOther, showList } from "../responses";
import { listBefore } from "../bulk-actions";
import { frameOf, pages } from "../pages";
import { askFirst, askForTag, chosenBy, isSure, Order, tagIn, told, undoOf } from "./bulk";
import { filterOf, Query, stateHere } from "./query";

type Given = Record<string, unknown>;
const title = "Posts";

/** All posts: found, published, tagged and thrown away, one or many at a time. */
export const postsDashboard = (deps: Deps) => {
  const { config, db, now } = deps;

  async function listFor(frame: Frame, given: Given) {
    const query = Query.parse(given);
    const [listed, counts, suggested] = await Promise.all([
      desk.list(db, filterOf(query), query.sort, query, frame.now),
      desk.counts(db, frame.now),
      tags.common(db),
    ]);
    const state = stateHere(query);
    const view = { ...{ frame, state, counts, status: query.status, blogUrl: config.BLOG_URL }, ...listed };
    return { state, list: <PostList {...view} tags={suggested} /> };
  }

  /** The list as it was before, with what was done to it. */
  async function doneWith(request: Request, given: Given, notice: Notice) {
    const frame = await frameOf(deps, request);
    const { state, list } = await listFor(frame, given);
    return done(request, { frame, title, list, back: listUrl(state, { page: state.query.page ?? "" }), notice });
  }

  async function move(request: Request, order: Order, tag: string) {
    const at = now();
    const moved = await moves.move(db, order.do, chosenBy(order), actorOf(request), at, tag);
    const given = listBefore(request, path, order.filter);
    return doneWith(request, given, { kind: "good", text: told(order, moved), ...undoOf(order.do, moved, at) });
  }

  /** One post is moved by its own button, in its row or in the editor. */
  async function moveOne(request: Request, id: string, what: "trash" | "delete") {
    const at = now();
    const order = { ...Order.parse({ do: what, ids: id }) };
    const moved = await moves.move(db, what, { ids: [id] }, actorOf(request), at);
    const given = queryBefore(request, path);
    return doneWith(request, given, { kind: "good", text: told(order, moved), ...undoOf(what, moved, at) });
  }

  async function confirmOne(request: Request, id: string, what: "unpublish" | "delete") {
    const [frame, post] = await Promise.all([frameOf(deps, request), edits.byId(db, id)]);
    if (!post) return doneWith(request, {}, { kind: "good", text: "Already deleted for good." });
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

  return pages(path, deps)
    .get("/", async ({ request, query }) => {
      const frame = await frameOf(deps, request);
      const { list } = await listFor(frame, query);
      return showList(request, { frame, title, extras: ["posts.css"], head: <PostsHead />, list });
    })
    .post(
      "/moves",
      async ({ request, body: order }) => {
        const tag = tagIn(order);
        if (["tag", "untag"].includes(order.do) && !tag) {
          const [frame, suggested] = await Promise.all([frameOf(deps, request), tags.common(db)]);
          const names = suggested.map(({ name }) => name);
          return askForTag(request, frame, order, names, order.tag !== undefined);
        }
        const count = await moves.countTaken(db, order.do, chosenBy(order), now(), tag);
        if (!isSure(order, count)) return askFirst(request, await frameOf(deps, request), order, count);
        return move(request, order, tag ?? "");
      },
      { body: Order },
    )
    .post("/:id/duplicate", async ({ request, params: { id } }) => {
      const copy = await edits.duplicate(db, id, actorOf(request), now());
      if (!copy) return doneWith(request, {}, { kind: "bad", text: "That post was deleted for good." });
      return seeOther(request, `${path}/${copy.id}`, { kind: "good", text: "This is the copy, a draft." });
    })
    .post("/:id/trash", ({ request, params: { id } }) => moveOne(request, id, "trash"))
    .post("/:id/restore", async ({ request, params: { id } }) => {
      const { count } = await moves.move(db, "restore", { ids: [id] }, actorOf(request), now());
      return seeOther(request, `${path}/${id}`, { kind: "good", text: count ? "Restored." : tooLate });
    })
    .get("/:id/unpublish", ({ request, params: { id } }) => confirmOne(request, id, "unpublish"))
    .post("/:id/unpublish", async ({ request, params: { id } }) => {
      const { count } = await moves.move(db, "unpublish", { ids: [id] }, actorOf(request), now());
      const text = count ? "It is a draft again. Only managers see it." : tooLate;
      return seeOther(request, `${path}/${id}`, { kind: "good", text });
    })
    .get("/:id/delete", ({ request, params: { id } }) => confirmOne(request, id, "delete"))
    .post("/:id/delete", ({ request, params: { id } }) => moveOne(request, id, "delete"));
};

const tooLate = "Nothing to do: that was done already, or it is gone.";

const questions = {
  unpublish: {
    verb: "Unpublish post",
    about: "It is no longer there for readers, and links to it lead nowhere until it is published again.",
  },
  delete: { verb: "Delete post for good", about: "It is removed with all its revisions. This cannot be undone." },
};
