import { z } from "zod";
import * as postEdits from "../../../../db/posts/edit";
import type { TaggedPost } from "../../../../db/posts/rows";
import * as drafts from "../../../../db/posts/drafts";
import { isLater, statusOf } from "../../../../db/posts/rules";
import type { Frame } from "../../../../views/components/frame";
import { ConflictView, GoneView } from "../../../../views/dashboard/posts/editor/conflict";
import { PostForm } from "../../../../views/dashboard/posts/editor/editor";
import { path } from "../../../../views/dashboard/posts/state";
import type { JSX } from "../../../../views/jsx/jsx-runtime";
import type { Deps } from "../../deps";
import { fragment } from "../../../http/response";
import { actorOf } from "../../../security/session/session";
import { seeOther, show } from "../../responses";
import { frameOf, isPartial, pages } from "../../pages";
import { type Edit, formView, savedPieces, slugTaken, zoneTypedIn } from "./view";
import { Begun, readPostForm, typedIn, typedOf } from "../form";
import { askToPublish } from "../publish";
import { blank, editor, extras, hidden, open, titleOf } from "./open";

/** What a post's form sends besides its fields. */
const Sent = Begun.extend({
  do: z.enum(["save", "publish"]).catch("save"),
  keepDraft: z.literal("yes").optional().catch(undefined),
  isNew: z.literal("yes").optional().catch(undefined),
  /** After a conflict: save what was typed as a new post. */
  copy: z.literal("yes").optional().catch(undefined),
});

/** The editor of a post. The second of two simultaneous edits gets a page with the differences. */
export const postEditor = (deps: Deps) =>
  pages(path, deps)
    .get("/new", ({ request }) => blank(deps, request))
    .post("/new", ({ request, body }) => create(deps, request, body))
    .get("/:id", ({ request, params: { id }, query }) => open(deps, request, id, query.draft === "continue"))
    .post("/:id", ({ request, params: { id }, body }) => save(deps, request, id, body));

/** Shows the form again, with what has to be corrected. */
async function askAgain(deps: Deps, request: Request, edit: Edit) {
  const frame = await frameOf(deps, request);
  const view = await formView(deps, frame, edit);
  if (isPartial(request)) return fragment(<PostForm {...view} isPaused={edit.isPaused} />, 422);
  return editor(deps, request, { frame, title: titleOf(edit.post), status: 422 }, view);
}

/** Shown instead of the editor if what was typed cannot be saved as it is. */
async function instead(deps: Deps, request: Request, title: string, content: (frame: Frame) => JSX.Element) {
  const frame = await frameOf(deps, request);
  if (!isPartial(request)) return show({ frame, title, status: 409, extras }, content(frame));
  return fragment(content(frame), 409, { "hx-retarget": "#editor", "hx-reswap": "outerHTML" });
}

async function create(deps: Deps, request: Request, body: unknown) {
  const typed = typedIn(body);
  const sent = Sent.parse(body);
  const { input, errors } = readPostForm(typed, undefined);
  if (!input) return askAgain(deps, request, { typed, errors });
  const slug = sent.copy ? "" : input.slug;
  const created = await postEdits.create(deps.db, { ...input, slug, published: false }, actorOf(request), deps.now());
  if (created.outcome === "slug-taken") return askAgain(deps, request, { typed, errors: [slugTaken(created.owner)] });
  const at = `${path}/${created.post.id}`;
  if (sent.do === "publish") return seeOther(request, `${at}/publish`);
  return seeOther(request, at, { kind: "good", text: "Draft saved. Only managers can see it." });
}

async function save(deps: Deps, request: Request, id: string, body: unknown) {
  const typed = typedIn(body);
  const { version, keepDraft, isNew, do: action } = Sent.parse(body);
  const keepsDraft = keepDraft === "yes";
  const post = await postEdits.byId(deps.db, id);
  const again = { post, typed, version, isPaused: keepsDraft };
  const { input, errors } = readPostForm(typed, post);
  if (!input) return askAgain(deps, request, { ...again, errors });
  if (post && statusOf(post, deps.now()) === "published" && isLater(input, deps.now()))
    return askAgain(deps, request, { ...again, errors: [hidden] });
  const what = { id, version, typed, keepsDraft };
  const edited = await postEdits.edit(deps.db, { ...what, fields: input }, actorOf(request), deps.now());
  switch (edited.outcome) {
    case "slug-taken":
      return askAgain(deps, request, { ...again, errors: [slugTaken(edited.owner)] });
    case "conflict":
      return instead(deps, request, "Someone else saved this post", (frame) => (
        <ConflictView
          frame={frame}
          typed={typed}
          theirs={typedOf(edited.post, zoneTypedIn(typed, frame))}
          {...edited}
        />
      ));
    case "gone":
      return instead(deps, request, "No longer available", (frame) => (
        <GoneView frame={frame} typed={typed} trashed={edited.post} />
      ));
    case "saved":
      if (action === "publish") return askToPublish(deps, request, edited.post, typed);
      return isNew ? shown(request, edited.post) : saved(deps, request, edited.post, typed);
  }
}

async function saved(deps: Deps, request: Request, post: TaggedPost, typed: drafts.DraftContent) {
  if (!isPartial(request)) return shown(request, post);
  return fragment(await savedPieces(deps, await frameOf(deps, request), post, typed));
}

const shown = (request: Request, { id }: TaggedPost) =>
  seeOther(request, `${path}/${id}`, { kind: "good", text: "Saved." });
