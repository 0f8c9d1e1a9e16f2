import type { Deps } from "../deps";
import { pages } from "../pages";
import { changeSelected } from "./actions";
import { FileBulk } from "./bulk";
import { showFiles } from "./list";
import { path } from "./query";

/** `/dashboard/storage`: the list of files, and their trash. */
export const storageDashboard = (deps: Deps) =>
  pages(path, deps)
    .get("/", ({ request, query }) => showFiles(deps, request, "files", query))
    .get("/trash", ({ request, query }) => showFiles(deps, request, "trash", query))
    .post("/bulk", ({ request, body }) => changeSelected(deps, request, "files", body), { body: FileBulk })
    .post("/trash/bulk", ({ request, body }) => changeSelected(deps, request, "trash", body), { body: FileBulk })
    .get("/files/:id/move", ({ request, params }) => changeSelected(deps, request, "files", one(params.id, "move")))
    .post("/files/:id/trash", ({ request, params }) => changeSelected(deps, request, "files", one(params.id, "trash")))
    .post("/files/:id/restore", ({ request, params }) =>
      changeSelected(deps, request, "trash", one(params.id, "restore")),
    );

const one = (id: string, action: FileBulk["do"]) => FileBulk.parse({ do: action, ids: id });
