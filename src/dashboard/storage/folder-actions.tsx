import { z } from "zod";
import * as folders from "../../../db/storage/folders";
import { FolderForm } from "../../../views/dashboard/storage/forms";
import type { Deps } from "../deps";
import { actorOf } from "../../security/session/session";
import { FolderPath } from "../../storage/uploads/file-input";
import { ask, seeOther } from "../responses";
import { frameOf } from "../pages";
import { folderUrl } from "./query";

export const InFolder = z.object({ in: FolderPath.catch("").default("") });
export const NewFolder = InFolder.extend({ name: z.string().default("") });

export async function create(deps: Deps, request: Request, { in: parent, name }: z.output<typeof NewFolder>) {
  const { data: at, error } = FolderPath.safeParse(`${parent}/${name}`);
  const messages = at === parent ? ["is required"] : (error?.issues ?? []).map(({ message }) => message);
  if (at === undefined || messages.length) {
    const frame = await frameOf(deps, request);
    const errors = messages.map((message) => ({ field: "name", message }));
    const form = <FolderForm frame={frame} parent={parent} errors={errors} value={name} cancel={folderUrl(parent)} />;
    return ask(request, { frame, title: "New folder", status: 422, children: form });
  }
  const isNew = await folders.create(deps.db, at, actorOf(request), deps.now());
  const text = isNew ? `Folder “${folders.nameOf(at)}” created.` : `Folder “${folders.nameOf(at)}” already exists.`;
  return seeOther(request, folderUrl(at), { kind: "good", text });
}

export async function remove(deps: Deps, request: Request, at: string) {
  const outcome = await folders.remove(deps.db, at, actorOf(request), deps.now());
  const name = folders.nameOf(at);
  if (outcome === "not empty")
    return seeOther(request, folderUrl(at), { kind: "bad", text: `Not removed: folder “${name}” is not empty.` });
  const text = outcome === "removed" ? `Folder “${name}” removed.` : "This folder was already removed.";
  return seeOther(request, folderUrl(folders.above(at)), { kind: "good", text });
}
