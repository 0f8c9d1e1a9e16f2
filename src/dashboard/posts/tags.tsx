import * as tags from "../../../db/posts/tags/tags";
import * as tagEdit from "../../../db/posts/tags/edit";
import { path, RenameForm } from "../../../views/dashboard/posts/tags";
import type { Deps } from "../deps";
import { actorOf } from "../../security/session/session";
import { ask } from "../responses";
import { frameOf, pages } from "../pages";
import { askToMerge, confirmDelete, Fields, merge, rename, renameInputs } from "./tag-actions";
import { doneWith, gone, show } from "./tag-list";

/** The tags of all posts: rename, merge, remove. */
export const tagsDashboard = (deps: Deps) =>
  pages(path, deps)
    .get("/", ({ request, query }) => show(deps, request, query))
    .get("/:slug/rename", async ({ request, params: { slug } }) => {
      const [frame, tag] = await Promise.all([frameOf(deps, request), tags.bySlug(deps.db, slug)]);
      if (!tag) return gone(deps, request);
      return ask(request, {
        frame,
        title: "Rename tag",
        children: <RenameForm frame={frame} tag={tag} inputs={renameInputs} />,
      });
    })
    .post("/:slug/rename", ({ request, params: { slug }, body }) => rename(deps, request, slug, body))
    .get("/:slug/merge", async ({ request, params: { slug }, query }) => {
      const tag = await tags.bySlug(deps.db, slug);
      return tag ? askToMerge(deps, request, tag, query.into ?? "") : gone(deps, request);
    })
    .post("/:slug/merge", ({ request, params: { slug }, body }) =>
      merge(deps, request, slug, Fields.parse(body).into ?? ""),
    )
    .get("/:slug/delete", ({ request, params: { slug } }) => confirmDelete(deps, request, slug))
    .post("/:slug/delete", async ({ request, params: { slug } }) => {
      const removed = await tagEdit.remove(deps.db, slug, actorOf(request), deps.now());
      return removed
        ? doneWith(deps, request, { kind: "good", text: `Tag “${removed.name}” deleted.` })
        : gone(deps, request);
    });
