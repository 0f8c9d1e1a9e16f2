import { z } from "zod";
import * as fileBulk from "../../../db/storage/files-bulk";
import * as files from "../../../db/storage/files";
import * as references from "../../../db/storage/references";
import { kindOf } from "../../../views/dashboard/storage/file-kind";
import { FilePage } from "../../../views/dashboard/storage/file";
import { LinkSheet, RenameForm } from "../../../views/dashboard/storage/forms";
import { dashboardPath } from "../../security/session/require-manager";
import { actorOf } from "../../security/session/session";
import { Filename } from "../../storage/uploads/file-input";
import type { Deps } from "../deps";
import { frameOf, isPartial, pages } from "../pages";
import { forEditors } from "../permissions";
import { notThere, seeOther, show, showDialog } from "../responses";
import { extras, openToNodes } from "./pages";
import { path } from "./query";

const hour = 3_600_000;

/** The page of one file: preview, download, link, rename. */
export const fileDashboard = (deps: Deps) =>
  pages(`${path}/files`, deps, forEditors)
    .get("/:id", ({ request, params: { id } }) => onFile(deps, request, id, (file) => showOne(deps, request, file)))
    .get("/:id/download", ({ request, params: { id } }) => onFile(deps, request, id, (file) => download(deps, file)))
    .get("/:id/link", ({ request, params: { id } }) =>
      onFile(deps, request, id, (file) => showLink(deps, request, file)),
    )
    .get("/:id/rename", ({ request, params: { id } }) =>
      onFile(deps, request, id, (file) => askForName(deps, request, file)),
    )
    .post(
      "/:id/rename",
      ({ request, params: { id }, body }) => onFile(deps, request, id, (file) => rename(deps, request, file, body)),
      { body: Renaming },
    );

type Action = (file: files.StoredFile) => Promise<Response>;

/** Runs the action on a stored file that is not in the trash. */
async function onFile(deps: Deps, request: Request, id: string, action: Action) {
  const file = await files.findStored(deps.db, id);
  return file ? action(file) : notThere(await frameOf(deps, request), "This file has been deleted.", path);
}

async function download(deps: Deps, file: files.StoredFile) {
  const location = await deps.storage.links.download(file);
  return new Response(null, { status: 302, headers: { location, "cache-control": "no-store" } });
}

async function showLink(deps: Deps, request: Request, file: files.StoredFile) {
  const frame = await frameOf(deps, request);
  const url = await deps.storage.links.download(file);
  const until = new Date(deps.now().getTime() + hour);
  const sheet = <LinkSheet frame={frame} url={url} until={until} cancel={urlOf(file.id)} />;
  return showDialog(request, { frame, title: `Link to ${file.filename}`, children: sheet });
}

async function showOne(deps: Deps, request: Request, file: files.StoredFile) {
  await openToNodes(deps, request);
  const [frame, url, used, isPublic, beginning] = await Promise.all([
    frameOf(deps, request),
    deps.storage.links.media(file),
    references.usesOf(deps.db, file.id),
    references.isPublic(deps.db, file.id, deps.now()),
    kindOf(file.mimeType) === "text" ? deps.storage.links.textPreview(file) : undefined,
  ]);
  const mediaUrl = deps.config.BASE_URL + files.mediaPath(file);
  const content = (
    <FilePage
      frame={frame}
      file={file}
      url={url}
      mediaUrl={mediaUrl}
      isPublic={isPublic}
      beginning={beginning}
      uses={used}
    />
  );
  return show({ frame, title: file.filename, extras }, content);
}

const Renaming = z.object({ filename: z.string().default(""), anyway: z.string().optional() });

async function askForName(deps: Deps, request: Request, file: files.StoredFile) {
  const frame = await frameOf(deps, request);
  const form = <RenameForm frame={frame} file={file} cancel={urlOf(file.id)} />;
  return showDialog(request, { frame, title: "Rename file", children: form });
}

const urlOf = (id: string) => `${path}/files/${id}`;

async function rename(deps: Deps, request: Request, file: files.StoredFile, sent: z.output<typeof Renaming>) {
  const { data: filename, error } = Filename.safeParse(sent.filename);
  const mayConflict = filename !== undefined && filename !== file.filename && sent.anyway !== filename;
  const isTaken =
    mayConflict && (await fileBulk.countNameConflicts(deps.db, file.folder, { named: filename, except: file.id })) > 0;
  if (filename === undefined || isTaken) {
    const frame = await frameOf(deps, request);
    const errors = (error?.issues ?? []).map(({ message }) => ({ field: "filename", message }));
    const value = filename ?? sent.filename;
    const form = (
      <RenameForm frame={frame} file={file} value={value} isTaken={isTaken} errors={errors} cancel={urlOf(file.id)} />
    );
    return showDialog(request, { frame, title: "Rename file", status: 422, children: form });
  }
  await fileBulk.edit(deps.db, { id: file.id, filename }, actorOf(request), deps.now());
  const text = filename === file.filename ? "Name not changed." : `Renamed to “${filename}”.`;
  const back = isPartial(request) ? dashboardPath(request.headers.get("hx-current-url")) : urlOf(file.id);
  return seeOther(request, back, { kind: "good", text });
}
