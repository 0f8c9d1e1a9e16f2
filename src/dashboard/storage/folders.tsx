import { z } from "zod";
import * as folders from "../../../db/storage/folders";
import { Confirm } from "../../../views/components/confirm";
import { FolderForm } from "../../../views/dashboard/storage/forms";
import { actorOf } from "../../security/session";
import { FolderPath } from "../../storage/uploads/file-input";
import type { Deps } from "../deps";
import { frameOf, pages } from "../pages";
import { forEditors } from "../permissions";
import { seeOther, showDialog } from "../responses";
import { folderUrl, path } from "./query";

const AtPath = z.object({ path: FolderPath.catch("").default("") });

/** Creates folders, and removes empty ones. */
export const folderDashboard = (deps: Deps) =>
  pages(`${path}/folders`, deps, forEditors)
    .get("/new", ({ request, query }) => askForName(deps, request, query.in), { query: InFolder })
    .post("/", ({ request, body }) => create(deps, request, body), { body: NewFolder })
    .get("/remove", ({ request, query }) => askToRemove(deps, request, query.path), { query: AtPath })
    .post("/remove", ({ request, body }) => remove(deps, request, body.path), { body: AtPath });

async function askForName(deps: Deps, request: Request, parent: string) {
  const frame = await frameOf(deps, request);
  const form = <FolderForm frame={frame} parent={parent} cancel={folderUrl(parent)} />;
  return showDialog(request, { frame, title: "New folder", children: form });
}

async function askToRemove(deps: Deps, request: Request, at: string) {
  const frame = await frameOf(deps, request);
  const confirm = { action: `${path}/folders/remove`, verb: "Remove folder", cancel: folderUrl(folders.above(at)) };
  return showDialog(request, {
    frame,
    title: `Remove folder “${folders.nameOf(at)}”?`,
    children: (
      <Confirm frame={frame} {...confirm} fields={{ path: at }}>
        <p>Only empty folders can be removed.</p>
      </Confirm>
    ),
  });
}

const InFolder = z.object({ in: FolderPath.catch("").default("") });
const NewFolder = InFolder.extend({ name: z.string().default("") });

async function create(deps: Deps, request: Request, { in: parent, name }: z.output<typeof NewFolder>) {
  const { data: at, error } = FolderPath.safeParse(`${parent}/${name}`);
  const messages = at === parent ? ["is required"] : (error?.issues ?? []).map(({ message }) => message);
  if (at === undefined || messages.length) {
    const frame = await frameOf(deps, request);
    const errors = messages.map((message) => ({ field: "name", message }));
    const form = <FolderForm frame={frame} parent={parent} errors={errors} value={name} cancel={folderUrl(parent)} />;
    return showDialog(request, { frame, title: "New folder", status: 422, children: form });
  }
  const isNew = await folders.create(deps.db, at, actorOf(request), deps.now());
  const text = isNew ? `Folder “${folders.nameOf(at)}” created.` : `Folder “${folders.nameOf(at)}” already exists.`;
  return seeOther(request, folderUrl(at), { kind: "good", text });
}

async function remove(deps: Deps, request: Request, at: string) {
  const outcome = await folders.remove(deps.db, at, actorOf(request), deps.now());
  const name = folders.nameOf(at);
  if (outcome === "not empty")
    return seeOther(request, folderUrl(at), { kind: "bad", text: `Not removed: folder “${name}” is not empty.` });
  const text = outcome === "removed" ? `Folder “${name}” removed.` : "This folder was already removed.";
  return seeOther(request, folderUrl(folders.above(at)), { kind: "good", text });
}
