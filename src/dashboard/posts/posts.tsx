import { path } from "../../../views/dashboard/posts/state";
import { PostsHead } from "../../../views/dashboard/posts/posts";
import type { Deps } from "../deps";
import { frameOf, pages } from "../pages";
import { showList } from "../responses";
import { changeInEditor, changeSelected, confirmOne, duplicate, moveOne } from "./actions";
import { PostBulk } from "./bulk";
import { listFor, title } from "./list";

/** `/dashboard/posts`: the list of posts. */
export const postsDashboard = (deps: Deps) =>
  pages(path, deps)
    .get("/", async ({ request, query }) => {
      const frame = await frameOf(deps, request);
      const { list } = await listFor(deps, frame, query);
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
