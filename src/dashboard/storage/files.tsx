import * as fileBulk from "../../../db/storage/files-bulk";
import * as fileList from "../../../db/storage/files-list";
import { describedWhereUsed } from "../../../db/storage/pictures";
import { thumbnailOf } from "../../../db/storage/files";
import * as folders from "../../../db/storage/folders";
import type { Frame, Notice } from "../../../views/components/frame";
import { listUrl } from "../../../views/components/list";
import { FileList, NewFolder, StorageHead } from "../../../views/dashboard/storage/files";
import { Library, LibraryHead } from "../../../views/dashboard/storage/library";
import { FreshTabs } from "../../../views/dashboard/storage/frame";
import { FreshNodes } from "../../../views/dashboard/storage/nodes/nodes";
import { TrashHead, TrashList } from "../../../views/dashboard/storage/trash";
import { Uploads } from "../../../views/dashboard/storage/uploads/uploader";
import { contextOf } from "../../platform/request-context";
import { actorOf, dashboardPath, managerFor } from "../../security/session";
import { listBefore } from "../bulk-actions";
import type { Deps } from "../deps";
import { stateOf } from "../list-query";
import { frameOf, isPartial, pages, refusalFor } from "../pages";
import { forEditors, forManagers, mayUse } from "../permissions";
import { done, seeOther, showList } from "../responses";
import {
  downloadFiles,
  fileActions,
  FileBulk,
  type FileChange,
  moveFiles,
  othersInUse,
  selected,
  withFilesInUse,
  withSameName,
} from "./bulk";
import { countsOf, extras, openToNodes, wasInPictures } from "./pages";
import {
  filterOf,
  listPaths,
  path,
  picturesOf,
  PicturesQuery,
  Query,
  stateHere,
  trashPath,
  TrashQuery,
  type View,
} from "./query";
import { paths } from "../../../views/paths";

/** `/dashboard/storage`: the list of files, and the pictures among them. */
export const storageDashboard = (deps: Deps) =>
  pages(path, deps, forEditors)
    .get("/", ({ request, query }) => showFiles(deps, request, "files", query))
    .post("/bulk", ({ request, body }) => changeSelected(deps, request, "files", body), { body: FileBulk })
    .get("/pictures", ({ request, query }) => showFiles(deps, request, "pictures", query))
    .post("/pictures/bulk", ({ request, body }) => changeSelected(deps, request, "pictures", body), { body: FileBulk })
    .get("/files/:id/move", ({ request, params }) => changeSelected(deps, request, "files", one(params.id, "move")))
    .post("/files/:id/trash", ({ request, params }) =>
      changeSelected(deps, request, wasInPictures(request) ? "pictures" : "files", one(params.id, "trash")),
    )
    .post("/files/:id/restore", ({ request, params }) =>
      changeSelected(deps, request, "trash", one(params.id, "restore")),
    );

/** The trash, from which files are deleted for good. */
export const trashDashboard = (deps: Deps) =>
  pages(path, deps, forManagers)
    .get("/trash", ({ request, query }) => showFiles(deps, request, "trash", query))
    .post("/trash/bulk", ({ request, body }) => changeSelected(deps, request, "trash", body), { body: FileBulk });

const one = (id: string, action: FileBulk["do"]) => FileBulk.parse({ do: action, ids: id });

type Params = Record<string, unknown>;

async function filesFor(deps: Deps, frame: Frame, params: Params) {
  const query = Query.parse(params);
  const { folder, q, kind, use, page, where } = query;
  const isFirst = page === 1 && !kind && !use;
  const [listed, subfolders, counts, nodes] = await Promise.all([
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
    list: <FileList frame={frame} state={state} folder={folder} folders={subfolders} per={query.per} {...listed} />,
    foot: <Uploads managerId={frame.manager.id} />,
    beside: (
      <>
        <FreshTabs frame={frame} here={path} counts={counts} />
        <FreshNodes nodes={nodes} frame={frame} />
        <hx-partial hx-target="#new-folder" hx-swap="outerHTML">
          <NewFolder folder={folder} />
        </hx-partial>
      </>
    ),
  };
}

async function trashFor(deps: Deps, frame: Frame, params: Params) {
  const query = TrashQuery.parse(params);
  const scope = { trash: true, q: query.q || undefined } as const;
  const [listed, counts] = await Promise.all([fileList.list(deps.db, scope, "-modified", query), countsOf(deps)]);
  const state = stateOf(trashPath, TrashQuery, query);
  return {
    title: "Trash · Storage",
    state,
    head: <TrashHead frame={frame} counts={counts} />,
    list: <TrashList frame={frame} state={state} per={query.per} {...listed} />,
    beside: <FreshTabs frame={frame} here={trashPath} counts={counts} />,
  };
}

async function picturesFor(deps: Deps, frame: Frame, params: Params) {
  const query = PicturesQuery.parse(params);
  const { folder, page, q, show } = query;
  const [{ rows, ...listed }, inside, counts] = await Promise.all([
    fileList.list(deps.db, picturesOf(query), "name", query),
    page === 1 && !q && !show ? fileList.foldersIn(deps.db, folder) : { folders: [], total: 0 },
    countsOf(deps),
  ]);
  const lacking = rows.filter(({ alt }) => !alt).map(({ id }) => id);
  const described = await describedWhereUsed(deps.db, lacking);
  const pictures = rows.map((file) => ({
    ...file,
    thumbnail: thumbnailOf(file),
    isDescribed: described.has(file.id),
  }));
  const view = { frame, state: stateOf(paths.pictures, PicturesQuery, query), folder, per: query.per, ...listed };
  return {
    title: folder ? `${folders.nameOf(folder)} · Pictures` : "Pictures · Storage",
    state: view.state,
    head: <LibraryHead frame={frame} folder={folder} counts={counts} />,
    list: <Library {...view} rows={pictures} folders={inside} />,
    foot: <Uploads managerId={frame.manager.id} />,
    beside: (
      <>
        <FreshTabs frame={frame} here={paths.pictures} counts={counts} />
        <hx-partial hx-target="#new-folder" hx-swap="outerHTML">
          <NewFolder folder={folder} />
        </hx-partial>
      </>
    ),
  };
}

const contents = { files: filesFor, pictures: picturesFor, trash: trashFor };

/** Shows the files of a folder, the pictures, or the trash. */
async function showFiles(deps: Deps, request: Request, view: View, params: Params) {
  const frame = await frameOf(deps, request);
  if (view !== "trash") await openToNodes(deps, request); // uploads are sent from it
  return showList(request, { frame, extras, ...(await contents[view](deps, frame, params)) });
}

/** Responds after an action: the list as it was filtered, with a notice. */
async function doneWith(deps: Deps, request: Request, view: View, params: Params, notice: Notice) {
  const frame = await frameOf(deps, request);
  const { state, ...listView } = await contents[view](deps, frame, params);
  const back = listUrl(state, { page: state.query.page ?? "" });
  const from = dashboardPath(request.headers.get("hx-current-url"));
  if (isPartial(request) && from.startsWith(`${path}/files/`)) return seeOther(request, from, notice);
  contextOf(request).headers["hx-replace-url"] = back;
  return done(request, { frame, ...listView, back, notice });
}

type Finish = (notice: Notice) => Promise<Response>;

/** Applies an action to the selected files, after a question if it needs one. */
async function changeSelected(deps: Deps, request: Request, view: View, bulk: FileBulk) {
  const before = listBefore(request, path, bulk.filter);
  const finish = (notice: Notice) => doneWith(deps, request, view, before, notice);
  const { do: action } = bulk;
  const { role } = managerFor(request).manager;
  if (action === "delete" && !mayUse(deps, role, `${trashPath}/bulk`, "POST"))
    return refusalFor(deps, request, forManagers);
  const from = { view, before, done: finish };
  if (action === "move") return moveFiles(deps, request, bulk, from);
  if (action === "download") return downloadFiles(deps, request, bulk, from);
  return change(deps, request, view, { ...bulk, do: action }, finish);
}

async function change(deps: Deps, request: Request, view: View, bulk: FileChange, finish: Finish) {
  const chosen = selected(bulk, view);
  const { count, inUse } = await fileBulk.countAffected(deps.db, bulk.do, chosen, deps.now());
  const list = listPaths[view];
  return fileActions.askOrChange(deps, request, bulk, {
    count: () => count,
    apply: (at) => fileBulk.applyAction(deps.db, { action: bulk.do, selection: chosen }, actorOf(request), at),
    finish: async (notice, moved) =>
      finish(bulk.do === "restore" ? await withSameName(deps.db, notice, moved) : withFilesInUse(notice, moved, inUse)),
    action: `${list}/bulk`,
    cancel: listUrl({ path: list, query: listBefore(request, path, bulk.filter) }, {}),
    children: inUse > 0 && <p>{othersInUse(inUse, false)}</p>,
  });
}
