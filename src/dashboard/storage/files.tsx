import * as fileList from "../../../db/storage/files-list";
import * as fileBulk from "../../../db/storage/files-bulk";
import * as folders from "../../../db/storage/folders";
import type { Frame, Notice } from "../../../views/components/frame";
import { listUrl } from "../../../views/components/list";
import { FileList, NewFolder, StorageHead } from "../../../views/dashboard/storage/files";
import { FreshTabs } from "../../../views/dashboard/storage/frame";
import { TrashHead, TrashList } from "../../../views/dashboard/storage/trash";
import type { Deps } from "../../boot/deps";
import { actorOf, dashboardPath } from "../../security/session";
import { contextOf } from "../../http/request-context";
import { done, seeOther, showList } from "../responses";
import { listBefore } from "../bulk-actions";
import { stateOf } from "../list-query";
import { frameOf, isPartial, pages } from "../pages";
import { downloadFiles } from "./download";
import { moveFiles } from "./move";
import { FileBulk, type FileChange, fileActions, othersInUse, resultNotice, selected } from "./bulk";
import { countsOf, extras, openToNodes } from "./pages";
import { filterOf, path, Query, stateHere, TrashQuery, trashPath, type View } from "./query";

type Given = Record<string, unknown>;

/** What lies in the storage: found, moved, thrown away and brought back. */
export const storageDashboard = (deps: Deps) =>
  pages(path, deps)
    .get("/", ({ request, query }) => answer(deps, request, "files", query))
    .get("/trash", ({ request, query }) => answer(deps, request, "trash", query))
    .post("/moves", ({ request, body }) => carryOut(deps, request, "files", body), { body: FileBulk })
    .post("/trash/moves", ({ request, body }) => carryOut(deps, request, "trash", body), { body: FileBulk })
    .get("/files/:id/move", ({ request, params }) => carryOut(deps, request, "files", one(params.id, "move")))
    .post("/files/:id/trash", ({ request, params }) => carryOut(deps, request, "files", one(params.id, "trash")))
    .post("/files/:id/restore", ({ request, params }) => carryOut(deps, request, "trash", one(params.id, "restore")));

async function filesFor(deps: Deps, frame: Frame, given: Given) {
  const query = Query.parse(given);
  const { folder, q, kind, page, where } = query;
  const isFirst = page === 1 && !kind;
  const [listed, found, counts, nodes] = await Promise.all([
    fileList.list(deps.db, filterOf(query), query.sort, query),
    !isFirst ? [] : q ? folders.search(deps.db, q, where ? "" : folder) : folders.listIn(deps.db, folder),
    countsOf(deps),
    deps.storage.nodes.list(),
  ]);
  const state = stateHere(query);
  return {
    title: folder ? `${folders.nameOf(folder)} · Storage` : "Storage",
    state,
    head: <StorageHead frame={frame} folder={folder} counts={counts} nodes={nodes} />,
    list: <FileList {...{ frame, state, folder, folders: found, per: query.per }} {...listed} />,
    beside: (
      <>
        <FreshTabs here={path} counts={counts} />
        <hx-partial hx-target="#new-folder" hx-swap="outerHTML">
          <NewFolder folder={folder} />
        </hx-partial>
      </>
    ),
  };
}

async function trashFor(deps: Deps, frame: Frame, given: Given) {
  const query = TrashQuery.parse(given);
  const scope = { trash: true, q: query.q || undefined } as const;
  const [listed, counts] = await Promise.all([fileList.list(deps.db, scope, "-modified", query), countsOf(deps)]);
  const state = stateOf(trashPath, TrashQuery, query);
  return {
    title: "Trash · Storage",
    state,
    head: <TrashHead counts={counts} />,
    list: <TrashList {...{ frame, state, per: query.per }} {...listed} />,
    beside: <FreshTabs here={trashPath} counts={counts} />,
  };
}

const contents = { files: filesFor, trash: trashFor };

async function answer(deps: Deps, request: Request, view: View, given: Given) {
  const frame = await frameOf(deps, request);
  if (view === "files") await openToNodes(deps, request); // uploads start there
  return showList(request, { frame, extras, ...(await contents[view](deps, frame, given)) });
}

/** The list as it was before the action, with what the action did to it. */
async function doneWith(deps: Deps, request: Request, view: View, given: Given, notice: Notice) {
  const frame = await frameOf(deps, request);
  const { state, ...shown } = await contents[view](deps, frame, given);
  const back = listUrl(state, { page: state.query.page ?? "" });
  const from = dashboardPath(request.headers.get("hx-current-url"));
  if (isPartial(request) && from.startsWith(`${path}/files/`)) return seeOther(request, from, notice);
  contextOf(request).headers["hx-replace-url"] = back;
  return done(request, { frame, ...shown, back, notice });
}

async function carryOut(deps: Deps, request: Request, view: View, bulk: FileBulk) {
  const before = listBefore(request, path, bulk.filter);
  const finish = (notice: Notice) => doneWith(deps, request, view, before, notice);
  const { do: action } = bulk;
  if (action === "move") return moveFiles(deps, request, bulk, before, finish);
  if (action === "download") return downloadFiles(deps, request, bulk, before, finish);
  return change(deps, request, view, { ...bulk, do: action }, finish);
}

async function change(
  deps: Deps,
  request: Request,
  view: View,
  bulk: FileChange,
  finish: (notice: Notice) => Promise<Response>,
) {
  const [chosen, at] = [selected(bulk, view), deps.now()];
  const { count, inUse } = await fileBulk.countAffected(deps.db, bulk.do, chosen, at);
  const list = view === "trash" ? trashPath : path;
  const action = `${list}/moves`;
  if (!fileActions.isSure(bulk, count)) {
    const frame = await frameOf(deps, request);
    const cancel = listUrl({ path: list, query: listBefore(request, path, bulk.filter) }, {});
    const children = inUse > 0 && <p>{othersInUse(inUse)}</p>;
    return fileActions.askFirst(request, bulk, { frame, count, action, cancel, children });
  }
  const moved = await fileBulk.applyAction(deps.db, bulk.do, chosen, actorOf(request), at);
  return finish({ ...resultNotice(bulk, moved, inUse), ...fileActions.undoOf(bulk.do, moved, at, action) });
}

const one = (id: string, action: FileBulk["do"]) => FileBulk.parse({ do: action, ids: id });
