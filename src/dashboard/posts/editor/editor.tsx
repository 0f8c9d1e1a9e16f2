import { z } from "zod";
import { slugOf } from "../../../../db/lib/text";
import * as drafts from "../../../../db/posts/revisions";
import * as postEdits from "../../../../db/posts/edit";
import type { TaggedPost } from "../../../../db/posts/rows";
import { isLater, statusOf } from "../../../../db/posts/rules";
import type { AssetName } from "../../../../views/assets";
import type { Frame } from "../../../../views/components/frame";
import { ConflictView, GoneView } from "../../../../views/dashboard/posts/editor/conflict";
import {
  ActionsThatCame,
  EditorPage,
  type EditorView,
  PostForm,
} from "../../../../views/dashboard/posts/editor/editor";
import { path } from "../../../../views/dashboard/posts/state";
import type { JSX } from "../../../../views/jsx/jsx-runtime";
import { readPostUrl } from "../../../content/post-url";
import { fragment } from "../../../http/response";
import { contextOf } from "../../../platform/request-context";
import { actorOf, managerFor } from "../../../security/session";
import { withChosenPicture } from "../../chosen-picture";
import type { Deps } from "../../deps";
import { frameOf, isPartial, pages } from "../../pages";
import { forEditors } from "../../permissions";
import { Begun, readPostForm, typedIn, typedOf } from "../form";
import { askToPublish } from "../publish";
import { json, notThere, seeOther, show } from "../../responses";
import { openToNodes } from "../../storage/pages";
import { type Edit, formView, savedPieces, slugTaken, zoneOf, zoneTypedIn } from "./view";

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
  pages(path, deps, forEditors)
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

/** Shows, instead of the editor, why what was typed cannot be saved as it is. */
async function showConflict(deps: Deps, request: Request, title: string, content: (frame: Frame) => JSX.Element) {
  const frame = await frameOf(deps, request);
  if (!isPartial(request)) return show({ frame, title, status: 409, extras }, content(frame));
  return fragment(content(frame), 409, { "hx-retarget": "#editor", "hx-reswap": "outerHTML" });
}

/** Shows what was typed, with the picture that was chosen for it without JavaScript. */
async function showAgain(deps: Deps, request: Request, edit: Edit) {
  const frame = await frameOf(deps, request);
  const view = await formView(deps, frame, edit);
  return editor(deps, request, { frame, title: titleOf(edit.post) }, { ...view, isPaused: edit.isPaused });
}

async function create(deps: Deps, request: Request, body: unknown) {
  const waiting = await withChosenPicture(deps, body);
  const typed = typedIn(waiting ?? body);
  const sent = Sent.parse(body);
  if (waiting) return showAgain(deps, request, { typed });
  const { input, errors } = readPostForm(typed, undefined);
  if (!input) return askAgain(deps, request, { typed, errors });
  const slug = sent.copy ? "" : input.slug;
  const created = await postEdits.create(deps.db, { ...input, slug, published: false }, actorOf(request), deps.now());
  if (created.outcome === "slug-taken") return askAgain(deps, request, { typed, errors: [slugTaken(created.owner)] });
  const at = `${path}/${created.post.id}`;
  if (isPartial(request)) return saved(deps, request, created.post, { typed, ...sent, isNew: "yes" });
  if (sent.do === "publish") return seeOther(request, `${at}/publish`);
  return seeOther(request, at, { kind: "good", text: "Draft saved. Only managers can see it." });
}

async function save(deps: Deps, request: Request, id: string, body: unknown) {
  const waiting = await withChosenPicture(deps, body);
  const typed = typedIn(waiting ?? body);
  const sent = Sent.parse(body);
  const { version, keepDraft } = sent;
  const keepsDraft = keepDraft === "yes";
  const post = await postEdits.byId(deps.db, id);
  const again = { post, typed, version, isPaused: keepsDraft };
  if (waiting) return showAgain(deps, request, again);
  const { input, errors } = readPostForm(typed, post);
  if (!input) return askAgain(deps, request, { ...again, errors });
  if (post && statusOf(post, deps.now()) === "published" && isLater(input, deps.now()))
    return askAgain(deps, request, { ...again, errors: [wouldHide] });
  const what = { id, version, typed, keepsDraft };
  const edited = await postEdits.edit(deps.db, { ...what, fields: input }, actorOf(request), deps.now());
  switch (edited.outcome) {
    case "slug-taken":
      return askAgain(deps, request, { ...again, errors: [slugTaken(edited.owner)] });
    case "conflict":
      return showConflict(deps, request, "Someone else saved this post", (frame) => (
        <ConflictView
          frame={frame}
          typed={typed}
          theirs={typedOf(edited.post, zoneTypedIn(typed, frame))}
          {...edited}
        />
      ));
    case "gone":
      return showConflict(deps, request, "No longer available", (frame) => (
        <GoneView frame={frame} typed={typed} trashed={edited.post} />
      ));
    case "saved":
      return saved(deps, request, edited.post, { typed, ...sent });
  }
}

type Saved = Pick<z.infer<typeof Sent>, "do" | "isNew"> & { typed: drafts.DraftContent };

/** The page stays, with what is typed meanwhile: that of a new post becomes the page of this one. */
async function saved(deps: Deps, request: Request, post: TaggedPost, { typed, isNew, do: action }: Saved) {
  const changed = { typed, isNew: isNew !== undefined };
  if (isNew) contextOf(request).headers["hx-replace-url"] = `${path}/${post.id}`;
  if (action === "publish") return askToPublish(deps, request, post, changed);
  if (!isPartial(request)) return backToEditor(request, post);
  return fragment(await savedPieces(deps, await frameOf(deps, request), post, changed));
}

const backToEditor = (request: Request, { id }: TaggedPost) =>
  seeOther(request, `${path}/${id}`, { kind: "good", text: "Saved." });

export const extras: AssetName[] = ["editor.css"];
const editorExtras: AssetName[] = [...extras, "editor.js", "link.js", "mdx.js"];

/** Shows the editor. Covers are uploaded from it to the storage nodes, and the preview loads files from them. */
async function editor(
  deps: Deps,
  request: Request,
  page: { frame: Frame; title: string; status?: number },
  view: EditorView,
) {
  await openToNodes(deps, request);
  return show({ ...page, extras: editorExtras }, <EditorPage {...view} />);
}

async function open(deps: Deps, request: Request, id: string, continues: boolean) {
  const [frame, post] = await Promise.all([frameOf(deps, request), postEdits.byId(deps.db, id)]);
  if (!post) return notThere(frame, "This post was permanently deleted.", path);
  if (post.deletedAt) {
    const typed = typedOf(post, zoneOf(frame));
    return show({ frame, title: post.title, extras }, <GoneView frame={frame} typed={typed} trashed={post} isQuiet />);
  }
  if (isPartial(request)) {
    const { postUrl } = await readPostUrl(deps);
    return fragment(<ActionsThatCame frame={frame} post={post} postUrl={postUrl} />);
  }
  const saved = typedOf(post, zoneOf(frame));
  const typed = await drafts.draftOf(deps.db, id, actorOf(request));
  const draft = typed && isSameText(typed, saved) ? undefined : typed;
  const continued = continues && draft;
  const edit = continued ? { post, typed: draft, version: draft.version } : { post, typed: saved };
  const view = await formView(deps, frame, edit);
  const about = continued ? { continued: draft.savedAt } : { offer: draft };
  return editor(deps, request, { frame, title: post.title }, { ...view, ...about });
}

/** Whether two forms say the same. A line that was begun at the end and left empty, as by a tap, is no difference. */
const isSameText = (one: drafts.DraftContent, other: drafts.DraftContent) =>
  one.content.trimEnd() === other.content.trimEnd() &&
  Object.entries(one.fields).every(([name, text]) => name === "zone" || text === (other.fields[name] ?? ""));

async function blank(deps: Deps, request: Request) {
  const frame = await frameOf(deps, request);
  const typed = { fields: { author: managerFor(request).manager.name }, content: "" };
  return editor(deps, request, { frame, title: "New post" }, await formView(deps, frame, { typed }));
}

/** Saving never hides a published post: unpublishing asks first. */
const wouldHide = {
  field: "publishedAt",
  message: "A future date would hide this published post. Unpublish it first.",
};

const titleOf = (post: TaggedPost | undefined) => post?.title ?? "New post";

/** What editor.ts requests while someone types: saving the draft, and the slug for the title. */
export const postAutosave = (deps: Deps) => {
  const { db, now } = deps;

  /** Returns the slug that a title or slug yields, and the post that has it already. */
  async function slugFor(of: string, post: string) {
    const slug = slugOf(of.slice(0, 200));
    const owner = slug ? await postEdits.ownerOfSlug(db, slug) : undefined;
    const isTaken = owner && owner.id !== post;
    return json({ slug, problem: isTaken ? slugTaken(owner).message : null });
  }

  /** The response to an autosave: the time, and where the form is sent from now on. */
  const kept = (id: string, begunWith: number, version: number) =>
    json({
      savedAt: now().toISOString(),
      action: `${path}/${id}`,
      version: begunWith,
      isBehind: begunWith !== version,
    });

  return pages(path, deps, forEditors)
    .post("/new/draft", async ({ request, body }) => {
      const { id, version } = await postEdits.createDraft(db, typedIn(body), actorOf(request), now());
      return kept(id, version, version);
    })
    .get("/slug", ({ query }) => slugFor(query.of ?? "", query.post ?? ""))
    .post("/:id/draft", async ({ request, params: { id }, body }) => {
      const { version } = Begun.parse(body);
      const post = await drafts.autosave(db, { postId: id, version, typed: typedIn(body) }, actorOf(request), now());
      return post ? kept(id, version, post.version) : json({ isGone: true }, 404);
    })
    .post("/:id/draft/discard", async ({ request, params: { id } }) => {
      await drafts.discardDraft(db, id, actorOf(request));
      return seeOther(request, `${path}/${id}`, { kind: "good", text: "Unsaved changes discarded." });
    });
};
