import * as fileBulk from "../../../db/storage/files-bulk";
import * as folders from "../../../db/storage/folders";
import type { Notice } from "../../../views/components/frame";
import { listUrl, plural } from "../../../views/components/list";
import { MoveForm } from "../../../views/dashboard/storage/forms";
import type { Deps } from "../deps";
import { actorOf } from "../../security/session/session";
import { FolderPath } from "../../storage/uploads/file-input";
import { ask } from "../responses";
import { frameOf } from "../pages";
import { type FileBulk, fileActions, selected } from "./bulk";
import { path } from "./query";

type Done = (notice: Notice) => Promise<Response>;

/** Moves files to a folder: asks which one, and asks again if names are taken there. */
export async function moveFiles(
  deps: Deps,
  request: Request,
  bulk: FileBulk,
  before: Record<string, string>,
  done: Done,
) {
  const { db, now } = deps;
  const { ids, all, to: given } = bulk;
  const chosen = selected(bulk, "files");
  if (ids.length === 0 && !all) return done({ kind: "good", text: fileActions.noneSelected });

  const parsed = given === undefined ? undefined : FolderPath.safeParse(given);
  const to = parsed?.data;
  const conflicts = to === undefined ? 0 : await fileBulk.countNameConflicts(db, to, chosen);
  const isSeen = bulk.anyway === `/${to}`;
  if (to !== undefined && (conflicts === 0 || isSeen)) {
    const from = all ? undefined : await fileBulk.commonFolder(db, ids);
    const moved = await fileBulk.moveTo(db, { path: to, selection: chosen }, actorOf(request), now());
    return done({ kind: "good", text: resultMessage(moved, to), ...undoOf(ids, moved, from) });
  }

  const frame = await frameOf(deps, request);
  const here = all ? before.folder : await fileBulk.commonFolder(db, ids);
  const errors = (parsed?.error?.issues ?? []).map(({ message }) => ({ field: "to", message }));
  const known = (await folders.list(db)).map((folder) => folder.path).filter(Boolean);
  return ask(request, {
    frame,
    title: all ? "Move all matching files" : `Move ${plural(ids.length, "file")}`,
    status: errors.length || conflicts ? 422 : 200,
    children: (
      <MoveForm
        frame={frame}
        action={`${path}/bulk`}
        fields={{ do: "move", filter: String(new URLSearchParams(before)), ...(all ? { all } : { ids }) }}
        folders={known.slice(0, 1_000)}
        to={to ?? given ?? here ?? ""}
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
const undoOf = ([id, ...others]: string[], { first }: fileBulk.ChangedFiles, from?: string): Pick<Notice, "undo"> =>
  !first || !id || others.length || from === undefined
    ? {}
    : { undo: { action: `${path}/bulk`, fields: { do: "move", ids: id, to: from, anyway: `/${from}` } } };
