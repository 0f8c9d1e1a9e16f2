import { path } from "../../../views/dashboard/broadcasts/state";
import type { Deps } from "../deps";
import { pages } from "../pages";
import { changeSelected, copyOne, createDraft, createFromPost, moveOne } from "./actions";
import { BroadcastBulk } from "./bulk";
import { showBroadcasts } from "./list";

/** `/dashboard/broadcasts`: the list of all broadcasts, and its trash. */
export const broadcastsDashboard = (deps: Deps) =>
  pages(path, deps)
    .get("/", ({ request, query }) => showBroadcasts(deps, request, query))
    .post("/bulk", ({ request, body }) => changeSelected(deps, request, body), { body: BroadcastBulk })
    .post("/new", ({ request, body }) => createDraft(deps, request, body))
    .post("/from-post/:id", ({ request, params: { id } }) => createFromPost(deps, request, id))
    .post("/:id/copy", ({ request, params: { id } }) => copyOne(deps, request, id))
    .post("/:id/trash", ({ request, params: { id } }) => moveOne(deps, request, id, "trash"))
    .post("/:id/restore", ({ request, params: { id } }) => moveOne(deps, request, id, "restore"));
