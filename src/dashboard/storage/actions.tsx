import * as fileBulk from "../../../db/storage/files-bulk";
import type { Notice } from "../../../views/components/frame";
import { listUrl } from "../../../views/components/list";
import type { Deps } from "../deps";
import { actorOf } from "../../security/session/session";
import { listBefore } from "../bulk-request";
import { type FileBulk, type FileChange, fileActions, othersInUse, selected, withFilesInUse } from "./bulk";
import { downloadFiles } from "./download";
import { doneWith } from "./list";
import { moveFiles } from "./move";
import { path, trashPath, type View } from "./query";

type Finish = (notice: Notice) => Promise<Response>;

/** Applies an action to the selected files, after a question if it needs one. */
export async function changeSelected(deps: Deps, request: Request, view: View, bulk: FileBulk) {
  const before = listBefore(request, path, bulk.filter);
  const finish = (notice: Notice) => doneWith(deps, request, view, before, notice);
  const { do: action } = bulk;
  if (action === "move") return moveFiles(deps, request, bulk, before, finish);
  if (action === "download") return downloadFiles(deps, request, bulk, before, finish);
  return change(deps, request, view, { ...bulk, do: action }, finish);
}

async function change(deps: Deps, request: Request, view: View, bulk: FileChange, finish: Finish) {
  const chosen = selected(bulk, view);
  const { count, inUse } = await fileBulk.countAffected(deps.db, bulk.do, chosen, deps.now());
  const list = view === "trash" ? trashPath : path;
  return fileActions.askOrChange(deps, request, bulk, {
    count: () => count,
    apply: (at) => fileBulk.applyAction(deps.db, { action: bulk.do, selection: chosen }, actorOf(request), at),
    finish: (notice, moved) => finish(withFilesInUse(notice, moved, inUse)),
    action: `${list}/bulk`,
    cancel: listUrl({ path: list, query: listBefore(request, path, bulk.filter) }, {}),
    children: inUse > 0 && <p>{othersInUse(inUse, false)}</p>,
  });
}
