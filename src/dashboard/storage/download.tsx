import * as fileList from "../../../db/storage/files-list";
import type { Notice } from "../../../views/components/frame";
import { listUrl, plural } from "../../../views/components/list";
import { DownloadSheet } from "../../../views/dashboard/storage/downloads";
import type { Deps } from "../deps";
import { ask } from "../responses";
import { frameOf, isPartial } from "../pages";
import { type FileBulk, fileActions } from "./bulk";
import { path, Query, scopes } from "./query";

const maxDownloads = 100; // files; each is a separate download in the browser

/**
 * Lists the selected files in their order, each with a link to its node, where the bytes come from. A script opens each
 * in a hidden frame, because a second navigation of the page would cancel the first.
 */
export async function downloadFiles(
  deps: Deps,
  request: Request,
  { ids, all }: FileBulk,
  before: Record<string, string>,
  done: (notice: Notice) => Promise<Response>,
) {
  if (ids.length === 0 && !all) return done({ kind: "good", text: fileActions.noneSelected });
  const scope = all ? scopes.files(before) : { ids };
  const { sort, folder } = Query.parse(before);
  const { rows, total } = await fileList.list(deps.db, scope, sort, { page: 1, per: maxDownloads });
  if (total === 0) return done({ kind: "bad", text: "Nothing to download: the files no longer exist." });
  return ask(request, {
    frame: await frameOf(deps, request),
    extras: ["storage.css"],
    title: `Download ${plural(rows.length, "file")}`,
    children: (
      <DownloadSheet
        files={rows}
        total={total}
        folder={folder}
        missing={all ? 0 : new Set(ids).size - total}
        canAll={isPartial(request)}
        cancel={listUrl({ path, query: before }, {})}
      />
    ),
  });
}
