import { paths } from "../../../views/paths";
import type { Deps } from "../deps";
import { pages } from "../pages";
import { askForName, askForNewName, deleteView, renameView, saveView } from "./actions";
import { List } from "./input";

/** The views of lists that managers keep for themselves. */
export const savedViewsDashboard = (deps: Deps) =>
  pages(paths.savedViews, deps)
    .get("/new", ({ request, query }) => askForName(deps, request, List.parse(query)))
    .post("/", ({ request, body }) => saveView(deps, request, body))
    .get("/:id/rename", ({ request, params: { id } }) => askForNewName(deps, request, id))
    .post("/:id/rename", ({ request, params: { id }, body }) => renameView(deps, request, id, body))
    .post("/:id/delete", ({ request, params: { id } }) => deleteView(deps, request, id));
