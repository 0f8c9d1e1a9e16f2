import { z } from "zod";
import type { Db } from "../../../db/engine/open";
import * as fileBulk from "../../../db/storage/files-bulk";
import * as fileList from "../../../db/storage/files-list";
import * as folders from "../../../db/storage/folders";
import type { Notice } from "../../../views/components/frame";
import { listUrl, plural } from "../../../views/components/list";
import { DownloadSheet } from "../../../views/dashboard/storage/downloads";
import { MoveForm } from "../../../views/dashboard/storage/forms";
import { paths } from "../../../views/paths";
import { actorOf } from "../../security/session";
import { FolderPath } from "../../storage/uploads/file-input";
import { bulkActions, bulkBody, toTrash, undoableSelectionOf } from "../bulk-actions";
import type { Deps } from "../deps";
import { frameOf, isPartial } from "../pages";
import { showDialog } from "../responses";
import { listPaths, Query, scopes, type View } from "./query";

/** What the pages' forms send: selected files, all that match, or those that one deletion moved. */
export const FileBulk = bulkBody(["trash", "restore", "delete", "move", "download"]).extend({
  to: z.string().optional(),
  anyway: z.string().optional(),
});
export type FileBulk = z.output<typeof FileBulk>;
export type FileChange = FileBulk & { do: "trash" | "restore" | "delete" };

export const selected = (bulk: FileBulk, view: View): fileBulk.FileSelection => undoableSelectionOf(bulk, scopes[view]);

/** The bulk actions on files, except moving and downloading, which have pages of their own. */
export const fileActions = bulkActions<"trash" | "restore" | "delete", NonNullable<fileBulk.ChangedFiles["first"]>>({
  rows: ["file", "files"],
  nameOf: ({ filename }) => filename,
  noneSelected: "No files selected.",
  tooLate: () => "Nothing changed: already done or deleted.",
  others: () => "",
  actions: {
    trash: toTrash(),
    restore: { verb: (rows) => `Restore ${rows}`, asks: "never", past: "restored", opens: paths.file },
    delete: {
      verb: (rows) => `Permanently delete ${rows}`,
      asks: "always",
      consequence: (count) =>
        `The ${count === 1 ? "file" : "files"} will be removed from storage. This cannot be undone.`,
      destroys: true,
      past: "permanently deleted",
    },
  },
});

/** Files that the action leaves alone because something uses them: said before, or afterwards. */
export const othersInUse = (inUse: number, isDone: boolean) => {
  const verb = isDone ? (inUse === 1 ? "was" : "were") : "will be";
  return `${plural(inUse, "other")} ${verb} kept because ${inUse === 1 ? "it is" : "they are"} in use.`;
};

/** Adds to a notice which files stayed as they were. */
export function withFilesInUse(notice: Notice, { first }: fileBulk.ChangedFiles, inUse: number): Notice {
  if (inUse === 0) return notice;
  if (first) return { ...notice, text: `${notice.text} ${othersInUse(inUse, true)}` };
  return { kind: "bad", text: "Not deleted: the file is in use. Its page says where." };
}

/** Adds to the notice of one restored file that another in its folder has its name, such as the one that replaced it. */
export async function withSameName(db: Db, notice: Notice, { count, first }: fileBulk.ChangedFiles): Promise<Notice> {
  const folder = first && count === 1 ? await fileBulk.commonFolder(db, [first.id]) : undefined;
  if (!first || folder === undefined) return notice;
  const others = await fileBulk.countNameConflicts(db, folder, { named: first.filename, except: first.id });
  return others ? { ...notice, text: `${notice.text} Another file in its folder has the same name.` } : notice;
}

/** The list that the files were selected in, its query, and how to respond with it. */
type From = { view: View; before: Record<string, string>; done: (notice: Notice) => Promise<Response> };

/** Moves files to a folder: asks which one, and asks again if names are taken there. */
export async function moveFiles(deps: Deps, request: Request, bulk: FileBulk, { view, before, done }: From) {
  const { db, now } = deps;
  const { ids, all, to: typedPath } = bulk;
  const path = listPaths[view];
  const chosen = selected(bulk, view);
  if (ids.length === 0 && !all) return done({ kind: "good", text: fileActions.noneSelected });

  const parsed = typedPath === undefined ? undefined : FolderPath.safeParse(typedPath);
  const to = parsed?.data;
  const conflicts = to === undefined ? 0 : await fileBulk.countNameConflicts(db, to, chosen);
  const isSeen = bulk.anyway === `/${to}`;
  if (to !== undefined && (conflicts === 0 || isSeen)) {
    const from = all ? undefined : await fileBulk.commonFolder(db, ids);
    const moved = await fileBulk.moveTo(db, { path: to, selection: chosen }, actorOf(request), now());
    return done({ kind: "good", text: resultMessage(moved, to), ...undoOf(path, ids, moved, from) });
  }

  const frame = await frameOf(deps, request);
  const here = all ? before.folder : await fileBulk.commonFolder(db, ids);
  const errors = (parsed?.error?.issues ?? []).map(({ message }) => ({ field: "to", message }));
  const folderPaths = (await folders.list(db)).map((folder) => folder.path).filter(Boolean);
  return showDialog(request, {
    frame,
    title: all ? "Move all matching files" : `Move ${plural(ids.length, "file")}`,
    status: errors.length || conflicts ? 422 : 200,
    children: (
      <MoveForm
        frame={frame}
        action={`${path}/bulk`}
        fields={{ do: "move", filter: String(new URLSearchParams(before)), ...(all ? { all } : { ids }) }}
        folders={folderPaths.slice(0, 1_000)}
        to={to ?? typedPath ?? here ?? ""}
        conflicts={conflicts}
        errors={errors}
        cancel={listUrl({ path, query: before }, {})}
      />
    ),
  });
}

const resultMessage = ({ count, first }: fileBulk.ChangedFiles, to: string) =>
  !first
    ? "Nothing moved: already there or deleted."
    : `${count === 1 ? first.filename : plural(count, "file")} moved to ${to || "All files"}.`;

/** One file can be moved back to where it was. */
const undoOf = (
  path: string,
  [id, ...others]: string[],
  { first }: fileBulk.ChangedFiles,
  from?: string,
): Pick<Notice, "undo"> =>
  !first || !id || others.length || from === undefined
    ? {}
    : { undo: { action: `${path}/bulk`, fields: { do: "move", ids: id, to: from, anyway: `/${from}` } } };

const maxDownloads = 100; // files; each is a separate download in the browser

/**
 * Lists the selected files in their order, each with a link to its node, where the bytes come from. A script opens each
 * in a hidden frame, because a second navigation of the page would cancel the first.
 */
export async function downloadFiles(
  deps: Deps,
  request: Request,
  { ids, all }: FileBulk,
  { view, before, done }: From,
) {
  if (ids.length === 0 && !all) return done({ kind: "good", text: fileActions.noneSelected });
  const path = listPaths[view];
  const scope = all ? scopes[view](before) : { ids };
  const { sort, folder } = Query.parse(before);
  const { rows, total } = await fileList.list(deps.db, scope, sort, { page: 1, per: maxDownloads });
  if (total === 0) return done({ kind: "bad", text: "Nothing to download: the files no longer exist." });
  return showDialog(request, {
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
