import * as fileList from "../../../db/storage/files-list";
import * as folders from "../../../db/storage/folders";
import type { Frame, Notice } from "../../../views/components/frame";
import { listUrl } from "../../../views/components/list";
import { FileList, NewFolder, StorageHead } from "../../../views/dashboard/storage/files";
import { FreshTabs } from "../../../views/dashboard/storage/frame";
import { FreshNodes } from "../../../views/dashboard/storage/nodes/nodes";
import { TrashHead, TrashList } from "../../../views/dashboard/storage/trash";
import { Uploads } from "../../../views/dashboard/storage/uploads/uploader";
import type { Deps } from "../deps";
import { contextOf } from "../../platform/request-context";
import { dashboardPath } from "../../security/session/rules";
import { stateOf } from "../list-query";
import { frameOf, isPartial } from "../pages";
import { done, seeOther, showList } from "../responses";
import { countsOf, extras, openToNodes } from "./pages";
import { filterOf, path, Query, stateHere, TrashQuery, trashPath, type View } from "./query";

type Given = Record<string, unknown>;

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
    list: <FileList frame={frame} state={state} folder={folder} folders={found} per={query.per} {...listed} />,
    foot: <Uploads managerId={frame.manager.id} />,
    beside: (
      <>
        <FreshTabs here={path} counts={counts} />
        <FreshNodes nodes={nodes} now={frame.now} />
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
    list: <TrashList frame={frame} state={state} per={query.per} {...listed} />,
    beside: <FreshTabs here={trashPath} counts={counts} />,
  };
}

const contents = { files: filesFor, trash: trashFor };

/** Shows the files of a folder, or the trash. */
export async function showFiles(deps: Deps, request: Request, view: View, given: Given) {
  const frame = await frameOf(deps, request);
  if (view === "files") await openToNodes(deps, request); // uploads are sent from it
  return showList(request, { frame, extras, ...(await contents[view](deps, frame, given)) });
}

/** Responds after an action: the list as it was filtered, with a notice. */
export async function doneWith(deps: Deps, request: Request, view: View, given: Given, notice: Notice) {
  const frame = await frameOf(deps, request);
  const { state, ...shown } = await contents[view](deps, frame, given);
  const back = listUrl(state, { page: state.query.page ?? "" });
  const from = dashboardPath(request.headers.get("hx-current-url"));
  if (isPartial(request) && from.startsWith(`${path}/files/`)) return seeOther(request, from, notice);
  contextOf(request).headers["hx-replace-url"] = back;
  return done(request, { frame, ...shown, back, notice });
}
