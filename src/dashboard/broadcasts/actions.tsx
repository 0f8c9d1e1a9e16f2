import { copy, create } from "../../../db/broadcasts/edit";
import { applyAction, countAffected } from "../../../db/broadcasts/list";
import * as postEdits from "../../../db/posts/edit";
import type { Notice } from "../../../views/components/frame";
import { path } from "../../../views/dashboard/broadcasts/state";
import type { Deps } from "../deps";
import { actorOf } from "../../security/session/session";
import { listBefore, undoableSelectionOf } from "../bulk-request";
import { seeOther } from "../responses";
import { BroadcastBulk, broadcastActions } from "./bulk";
import { readForm } from "../form-input";
import { Fields, flat, typedIn } from "./composer/form";
import { doneWith } from "./list";
import { filterOf, Query } from "./query";

/** Applies an action to the selected broadcasts, after a question if it needs one. */
export function changeSelected(deps: Deps, request: Request, bulk: BroadcastBulk) {
  const { do: action, filter } = bulk;
  const selected = undoableSelectionOf(bulk, (given) => filterOf(Query.parse(given)));
  return broadcastActions.askOrChange(deps, request, bulk, {
    count: () => countAffected(deps.db, action, selected),
    apply: (at: Date) => applyAction(deps.db, { action, selection: selected }, actorOf(request), at),
    finish: (notice: Notice) => doneWith(deps, request, listBefore(request, path, filter), notice),
    action: `${path}/bulk`,
    cancel: `${path}?${filter ?? ""}`,
  });
}

/** Deletes or restores one broadcast, from its row or its page. */
export const moveOne = (deps: Deps, request: Request, id: string, action: "trash" | "restore") =>
  changeSelected(deps, request, BroadcastBulk.parse({ do: action, ids: id }));

const empty = { subject: "", preheader: "", fromName: "", archive: "listed" as const, segment: {}, content: "" };

/** Creates an empty draft, or one with text that could not be saved elsewhere. */
export async function createDraft({ db, now }: Deps, request: Request, body: unknown) {
  const fields = { ...empty, ...readForm(Fields, flat(typedIn(body))).input };
  const { id } = await create(db, { source: { kind: "own" }, fields }, actorOf(request), now());
  return seeOther(request, `${path}/${id}`);
}

/** Creates a draft that sends a post, with the post's title and excerpt for the inbox. */
export async function createFromPost(deps: Deps, request: Request, postId: string) {
  const { db, now } = deps;
  const post = await postEdits.byId(db, postId);
  if (!post || post.deletedAt)
    return doneWith(deps, request, {}, { kind: "bad", text: "This post was deleted, so it cannot be sent." });
  const fields = { ...empty, subject: shortened(post.title), preheader: shortened(post.excerpt) };
  const { id } = await create(db, { source: { kind: "post", postId }, fields }, actorOf(request), now());
  return seeOther(request, `${path}/${id}`, { kind: "good", text: "Draft created from the post." });
}

const shortened = (text: string) => [...text].slice(0, 150).join("");

/** Creates a copy as a draft. */
export async function copyOne(deps: Deps, request: Request, id: string) {
  const draft = await copy(deps.db, id, actorOf(request), deps.now());
  if (!draft) return doneWith(deps, request, {}, { kind: "bad", text: "This broadcast was permanently deleted." });
  return seeOther(request, `${path}/${draft.id}`, { kind: "good", text: "Copy created as a draft." });
}
