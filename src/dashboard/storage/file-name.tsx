import { z } from "zod";
import * as fileBulk from "../../../db/storage/files-bulk";
import * as files from "../../../db/storage/files";
import { RenameForm } from "../../../views/dashboard/storage/forms";
import type { Deps } from "../deps";
import { actorOf } from "../../security/session/session";
import { dashboardPath } from "../../security/session/rules";
import { Filename } from "../../storage/uploads/file-input";
import { ask, seeOther } from "../responses";
import { frameOf, isPartial } from "../pages";
import { path } from "./query";

export const Renaming = z.object({ filename: z.string().default(""), anyway: z.string().optional() });

export async function askForName(deps: Deps, request: Request, file: files.StoredFile) {
  const frame = await frameOf(deps, request);
  const form = <RenameForm frame={frame} file={file} cancel={urlOf(file.id)} />;
  return ask(request, { frame, title: "Rename file", children: form });
}

export const urlOf = (id: string) => `${path}/files/${id}`;

export async function rename(deps: Deps, request: Request, file: files.StoredFile, given: z.output<typeof Renaming>) {
  const { data: filename, error } = Filename.safeParse(given.filename);
  const mayConflict = filename !== undefined && filename !== file.filename && given.anyway !== filename;
  const isTaken =
    mayConflict && (await fileBulk.countNameConflicts(deps.db, file.folder, { named: filename, except: file.id })) > 0;
  if (filename === undefined || isTaken) {
    const frame = await frameOf(deps, request);
    const errors = (error?.issues ?? []).map(({ message }) => ({ field: "filename", message }));
    const value = filename ?? given.filename;
    const form = (
      <RenameForm frame={frame} file={file} value={value} isTaken={isTaken} errors={errors} cancel={urlOf(file.id)} />
    );
    return ask(request, { frame, title: "Rename file", status: 422, children: form });
  }
  await fileBulk.rename(deps.db, { id: file.id, filename }, actorOf(request), deps.now());
  const text = filename === file.filename ? "Name not changed." : `Renamed to “${filename}”.`;
  const back = isPartial(request) ? dashboardPath(request.headers.get("hx-current-url")) : urlOf(file.id);
  return seeOther(request, back, { kind: "good", text });
}
