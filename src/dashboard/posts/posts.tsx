import { readPostUrl } from "../../content/post-url";
import { z } from "zod";
import { slugOf } from "../../../db/lib/text";
import * as postBulk from "../../../db/posts/bulk";
import * as postEdits from "../../../db/posts/edit";
import * as postList from "../../../db/posts/list";
import * as tags from "../../../db/posts/tags";
import { Confirm } from "../../../views/components/confirm";
import { Field } from "../../../views/components/forms/fields";
import { Form } from "../../../views/components/forms/form";
import type { Frame, Notice } from "../../../views/components/frame";
import { type ListState, listUrl, plural } from "../../../views/components/list";
import { PostList, PostsHead } from "../../../views/dashboard/posts/posts";
import { path } from "../../../views/dashboard/posts/state";
import { inputOf } from "../../fields/field";
import { line } from "../../platform/text/schemas";
import { actorOf } from "../../security/session";
import { bulkActions, bulkBody, listBefore, toTrash, undoableSelectionOf } from "../bulk-actions";
import type { Deps } from "../deps";
import { exactly, oneOf, pageNumber, perPage, search, stateOf } from "../list-query";
import { frameOf, pages } from "../pages";
import { forEditors } from "../permissions";
import { done, seeOther, showDialog, showList } from "../responses";
import { coversOf, showPictures } from "../storage/pages";

/** The list's parameters in the URL. */
const Query = z.object({
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
type Query = z.output<typeof Query>;

const filterOf = ({ q, status, tag }: Query): postList.PostFilter => ({
  q: q || undefined,
  status: status || undefined,
  tag: tag || undefined,
});

const stateHere = (query: Query): ListState => stateOf(path, Query, query);

/** `/dashboard/posts`: the list of posts. */
export const postsDashboard = (deps: Deps) =>
  pages(path, deps, forEditors)
    .get("/", async ({ request, query }) => {
      const frame = await frameOf(deps, request);
      const { list } = await listFor(deps, frame, query);
      await showPictures(deps, request);
      return showList(request, { frame, title, extras: ["posts.css"], head: <PostsHead />, list });
    })
    .post("/bulk", ({ request, body }) => changeSelected(deps, request, body), { body: PostBulk })
    .post("/:id/duplicate", ({ request, params: { id } }) => duplicate(deps, request, id))
    .post("/:id/trash", ({ request, params: { id } }) => moveOne(deps, request, id, "trash"))
    .post("/:id/restore", ({ request, params: { id } }) => changeInEditor(deps, request, id, "restore"))
    .get("/:id/unpublish", ({ request, params: { id } }) => confirmOne(deps, request, id, "unpublish"))
    .post("/:id/unpublish", ({ request, params: { id } }) => changeInEditor(deps, request, id, "unpublish"))
    .get("/:id/delete", ({ request, params: { id } }) => confirmOne(deps, request, id, "delete"))
    .post("/:id/delete", ({ request, params: { id } }) => moveOne(deps, request, id, "delete"));

type Params = Record<string, unknown>;
const title = "Posts";

/** Reads the list for these parameters. */
async function listFor(deps: Deps, frame: Frame, params: Params) {
  const query = Query.parse(params);
  const [listed, counts, suggested, { postUrl }] = await Promise.all([
    postList.list(deps.db, { filter: filterOf(query), sort: query.sort }, query, frame.now),
    postList.counts(deps.db, frame.now),
    tags.mostUsed(deps.db),
    readPostUrl(deps),
  ]);
  const state = stateHere(query);
  const covers = await coversOf(
    deps.db,
    listed.rows.map(({ id, coverImage }) => ({ id, image: coverImage })),
  );
  const view = { frame, state, counts, status: query.status, postUrl, covers, ...listed };
  return { state, list: <PostList {...view} tags={suggested} /> };
}

/** Responds after an action: the list as it was filtered, with a notice. */
async function doneWith(deps: Deps, request: Request, params: Params, notice: Notice) {
  const frame = await frameOf(deps, request);
  const { state, list } = await listFor(deps, frame, params);
  return done(request, { frame, title, list, back: listUrl(state, { page: state.query.page ?? "" }), notice });
}

/** How an action changes the posts, and what is shown afterwards. */
function changeOf(deps: Deps, request: Request, bulk: PostBulk, tag?: string) {
  const { do: action, filter } = bulk;
  const selected = undoableSelectionOf(bulk, (query) => filterOf(Query.parse(query)));
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
function moveOne(deps: Deps, request: Request, id: string, action: "trash" | "delete") {
  const bulk = PostBulk.parse({ do: action, ids: id });
  return postActions.change(deps, bulk, changeOf(deps, request, bulk));
}

/** Applies an action to the selected posts. Tagging asks for the tag. */
async function changeSelected(deps: Deps, request: Request, bulk: PostBulk) {
  const tag = tagIn(bulk);
  if ((bulk.do === "tag" || bulk.do === "untag") && !tag) {
    const [frame, suggested] = await Promise.all([frameOf(deps, request), tags.mostUsed(deps.db)]);
    const names = suggested.map(({ name }) => name);
    return askForTag(request, frame, bulk, names, bulk.tag !== undefined);
  }
  return postActions.askOrChange(deps, request, bulk, changeOf(deps, request, bulk, tag));
}

/** Creates a copy as a draft. */
async function duplicate(deps: Deps, request: Request, id: string) {
  const copy = await postEdits.duplicate(deps.db, id, actorOf(request), deps.now());
  if (!copy) return doneWith(deps, request, {}, { kind: "bad", text: "This post was permanently deleted." });
  return seeOther(request, `${path}/${copy.id}`, { kind: "good", text: "Copy created as a draft." });
}

/** Restores or unpublishes one post, on its own page. */
async function changeInEditor(deps: Deps, request: Request, id: string, action: "restore" | "unpublish") {
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
async function confirmOne(deps: Deps, request: Request, id: string, what: "unpublish" | "delete") {
  const [frame, post] = await Promise.all([frameOf(deps, request), postEdits.byId(deps.db, id)]);
  if (!post) return doneWith(deps, request, {}, { kind: "good", text: "Already permanently deleted." });
  const question = questions[what];
  const back = `${path}/${id}`;
  return showDialog(request, {
    frame,
    title: `${question.verb}?`,
    children: (
      <Confirm
        frame={frame}
        action={`${back}/${what}`}
        verb={question.verb}
        cancel={back}
        isHarmless={what === "unpublish"}
      >
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
    about:
      "Readers will no longer see it, and links to it will not work until you publish it again. A newsletter that waits to go out with it becomes a draft again.",
  },
  delete: {
    verb: "Permanently delete post",
    about: "The post and all its revisions will be permanently deleted. This cannot be undone.",
  },
};

/** Asks which tag to add to the posts, or to remove. */
function askForTag(request: Request, frame: Frame, bulk: PostBulk, names: string[], isWrong: boolean) {
  const { ids, all, filter = "", tag = "" } = bulk;
  const chosen = all ? { all: [all] } : { ids };
  const errors = isWrong
    ? [{ field: "tag", message: "Enter a tag name of up to 50 characters, with letters or digits." }]
    : [];
  return showDialog(request, {
    frame,
    title: "Tag the selected posts",
    status: isWrong ? 422 : 200,
    children: (
      <Form action={`${path}/bulk`} token={frame.token} class="stack" label="Tag">
        {Object.entries({ ...chosen, filter: [filter] }).flatMap(([name, values]) =>
          values.map((value) => <input type="hidden" name={name} value={value} />),
        )}
        <Field {...tagInput} label="Tag" scope="move" value={tag} list="move-tags" errors={errors} required autofocus />
        <datalist id="move-tags">
          {names.map((name) => (
            <option value={name} />
          ))}
        </datalist>
        <footer>
          <a class="btn" href={`${path}?${filter}`} data-close>
            Cancel
          </a>
          <button type="submit" class="btn" name="do" value="untag">
            Remove tag
          </button>
          <button type="submit" class="btn primary" name="do" value="tag">
            Add tag
          </button>
        </footer>
      </Form>
    ),
  });
}

/** What the list's forms send: selected posts, all that match the filter, or those that one action deleted. */
const PostBulk = bulkBody(["publish", "unpublish", "tag", "untag", "trash", "restore", "delete"]).extend({
  tag: z.string().optional(),
});
type PostBulk = z.output<typeof PostBulk>;

const tagName = line({ max: 50 });
const tagInput = inputOf("tag", tagName);

/** Returns the tag to add or remove, "" if none was named; undefined if it is not a valid tag. */
function tagIn({ tag = "" }: PostBulk): string | undefined {
  const { data } = tagName.safeParse(tag);
  return data === "" || (data && slugOf(data)) ? data : undefined;
}

/** The bulk actions on posts. Those that hide a post from readers always ask first. */
const postActions = bulkActions<postBulk.PostAction, NonNullable<postBulk.ChangedPosts["first"]>>({
  rows: ["post", "posts"],
  nameOf: ({ title }) => `“${title}”`,
  noneSelected: "No posts selected.",
  tooLate: () => "Nothing changed: already done or deleted.",
  others: (count) => `${plural(count, "other")} already done.`,
  actions: {
    publish: {
      verb: (rows) => `Publish ${rows}`,
      asks: "several",
      consequence: () => "They will be public immediately. Posts with a future date go live on that date.",
      past: "published",
    },
    unpublish: {
      verb: (rows) => `Unpublish ${rows}`,
      asks: "always",
      consequence: (n) =>
        `Readers will no longer see ${n === 1 ? "it" : "them"}, and links to ${n === 1 ? "it" : "them"} will not work until you publish ${n === 1 ? "it" : "them"} again.`,
      past: "unpublished",
    },
    tag: {
      verb: (rows) => `Tag ${rows}`,
      asks: "several",
      consequence: () => "They will appear in lists for this tag.",
      past: "tagged",
    },
    untag: {
      verb: (rows) => `Remove tag from ${rows}`,
      asks: "several",
      consequence: () => "They will no longer appear in lists for this tag.",
      past: "untagged",
    },
    trash: toTrash("They will be moved to the trash, where readers cannot see them, and can be restored for 30 days."),
    restore: { verb: (rows) => `Restore ${rows}`, asks: "never", past: "restored", opens: (id) => `${path}/${id}` },
    delete: {
      verb: (rows) => `Permanently delete ${rows}`,
      asks: "always",
      consequence: (n) =>
        `The ${n === 1 ? "post and all its" : "posts and all their"} revisions will be permanently deleted. This cannot be undone.`,
      destroys: true,
      past: "permanently deleted",
    },
  },
});
