import { z } from "zod";
import * as folders from "../../../db/storage/folders";
import { Confirm } from "../../../views/components/confirm";
import { FolderForm } from "../../../views/dashboard/storage/forms";
import type { Deps } from "../deps";
import { FolderPath } from "../../storage/uploads/file-input";
import { ask } from "../responses";
import { frameOf, pages } from "../pages";
import { folderUrl, path } from "./query";
import { create, InFolder, NewFolder, remove } from "./folder-actions";

const AtPath = z.object({ path: FolderPath.catch("").default("") });

/** Creates folders, and removes empty ones. */
export const folderDashboard = (deps: Deps) =>
  pages(`${path}/folders`, deps)
    .get("/new", ({ request, query }) => askForName(deps, request, query.in), { query: InFolder })
    .post("/", ({ request, body }) => create(deps, request, body), { body: NewFolder })
    .get("/remove", ({ request, query }) => askToRemove(deps, request, query.path), { query: AtPath })
    .post("/remove", ({ request, body }) => remove(deps, request, body.path), { body: AtPath });

async function askForName(deps: Deps, request: Request, parent: string) {
  const frame = await frameOf(deps, request);
  const form = <FolderForm frame={frame} parent={parent} cancel={folderUrl(parent)} />;
  return ask(request, { frame, title: "New folder", children: form });
}

async function askToRemove(deps: Deps, request: Request, at: string) {
  const frame = await frameOf(deps, request);
  const confirm = { action: `${path}/folders/remove`, verb: "Remove folder", cancel: folderUrl(folders.above(at)) };
  return ask(request, {
    frame,
    title: `Remove folder “${folders.nameOf(at)}”?`,
    children: (
      <Confirm frame={frame} {...confirm} fields={{ path: at }}>
        <p>Only empty folders can be removed.</p>
      </Confirm>
    ),
  });
}
