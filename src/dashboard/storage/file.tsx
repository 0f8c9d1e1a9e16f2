import * as references from "../../../db/storage/references";
import * as files from "../../../db/storage/files";
import { LinkSheet } from "../../../views/dashboard/storage/forms";
import { FilePage } from "../../../views/dashboard/storage/file";
import { kindOf } from "../../../views/dashboard/storage/file-kind";
import type { Deps } from "../deps";
import { ask, notThere, show } from "../responses";
import { frameOf, pages } from "../pages";
import { extras, openToNodes } from "./pages";
import { path } from "./query";
import { askForName, rename, Renaming, urlOf } from "./file-name";

const hour = 3_600_000;

/** The page of one file: preview, download, link, rename. */
export const fileDashboard = (deps: Deps) =>
  pages(`${path}/files`, deps)
    .get("/:id", ({ request, params: { id } }) => onFile(deps, request, id, showOne))
    .get("/:id/download", ({ request, params: { id } }) => onFile(deps, request, id, download))
    .get("/:id/link", ({ request, params: { id } }) => onFile(deps, request, id, showLink))
    .get("/:id/rename", ({ request, params: { id } }) => onFile(deps, request, id, askForName))
    .post(
      "/:id/rename",
      ({ request, params: { id }, body }) =>
        onFile(deps, request, id, (_, __, file) => rename(deps, request, file, body)),
      { body: Renaming },
    );

type Action = (deps: Deps, request: Request, file: files.StoredFile) => Promise<Response>;

/** Runs the action on a stored file that is not in the trash. */
async function onFile(deps: Deps, request: Request, id: string, action: Action) {
  const file = await files.findStored(deps.db, id);
  return file
    ? action(deps, request, file)
    : notThere(await frameOf(deps, request), "This file has been deleted.", path);
}

async function download(deps: Deps, _: Request, file: files.StoredFile) {
  const location = await deps.storage.links.download(file);
  return new Response(null, { status: 302, headers: { location, "cache-control": "no-store" } });
}

async function showLink(deps: Deps, request: Request, file: files.StoredFile) {
  const frame = await frameOf(deps, request);
  const url = await deps.storage.links.download(file);
  const until = new Date(deps.now().getTime() + hour);
  const sheet = <LinkSheet frame={frame} url={url} until={until} cancel={urlOf(file.id)} />;
  return ask(request, { frame, title: `Link to ${file.filename}`, children: sheet });
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
