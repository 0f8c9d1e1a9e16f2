import * as postEdits from "../../../../db/posts/edit";
import type { TaggedPost } from "../../../../db/posts/rows";
import * as drafts from "../../../../db/posts/drafts";
import type { AssetName } from "../../../../views/assets";
import type { Frame } from "../../../../views/components/frame";
import { EditorPage, type EditorView } from "../../../../views/dashboard/posts/editor/editor";
import { path } from "../../../../views/dashboard/posts/state";
import { GoneView } from "../../../../views/dashboard/posts/editor/conflict";
import type { Deps } from "../../deps";
import { actorOf, managerFor } from "../../../security/session/session";
import { notThere, show } from "../../responses";
import { frameOf } from "../../pages";
import { openToNodes } from "../../storage/pages";
import { formView, zoneOf } from "./view";
import { typedOf } from "../form";

export const extras: AssetName[] = ["editor.css"];
const editorExtras: AssetName[] = [...extras, "editor.js"];

/** Shows the editor. Covers are uploaded from it to the storage nodes, and the preview loads files from them. */
export async function editor(
  deps: Deps,
  request: Request,
  page: { frame: Frame; title: string; status?: number },
  view: EditorView,
) {
  await openToNodes(deps, request);
  return show({ ...page, extras: editorExtras }, <EditorPage {...view} />);
}

export async function open(deps: Deps, request: Request, id: string, continues: boolean) {
  const [frame, post] = await Promise.all([frameOf(deps, request), postEdits.byId(deps.db, id)]);
  if (!post) return notThere(frame, "This post was permanently deleted.", path);
  if (post.deletedAt) {
    const typed = typedOf(post, zoneOf(frame));
    return show({ frame, title: post.title, extras }, <GoneView frame={frame} typed={typed} trashed={post} isQuiet />);
  }
  const draft = await drafts.draftOf(deps.db, id, actorOf(request));
  const continued = continues && draft;
  const edit = continued
    ? { post, typed: draft, version: draft.version }
    : { post, typed: typedOf(post, zoneOf(frame)) };
  const view = await formView(deps, frame, edit);
  const about = continued ? { continued: draft.savedAt } : { offer: draft };
  return editor(deps, request, { frame, title: post.title }, { ...view, ...about });
}

export async function blank(deps: Deps, request: Request) {
  const frame = await frameOf(deps, request);
  const typed = { fields: { author: managerFor(request).manager.name }, content: "" };
  return editor(deps, request, { frame, title: "New post" }, await formView(deps, frame, { typed }));
}

/** Saving does not unpublish a post: that has a question of its own. */
export const hidden = {
  field: "publishedAt",
  message: "A future date would hide this published post. Unpublish it first.",
};

export const titleOf = (post: TaggedPost | undefined) => post?.title ?? "New post";
