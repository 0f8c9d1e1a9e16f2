import { z } from "zod";
import { hourMs } from "../../../db/lib/time";
import * as fileBulk from "../../../db/storage/files-bulk";
import * as fileList from "../../../db/storage/files-list";
import * as files from "../../../db/storage/files";
import * as pictures from "../../../db/storage/pictures";
import { replace, replacements } from "../../../db/storage/replace";
import * as references from "../../../db/storage/references";
import { kindOf } from "../../../views/dashboard/storage/file-kind";
import { listUrl } from "../../../views/components/list";
import { FilePage, ReplaceForm } from "../../../views/dashboard/storage/file";
import { DescribePicture } from "../../../views/dashboard/storage/picture";
import { LinkSheet, RenameForm } from "../../../views/dashboard/storage/forms";
import type { Notice } from "../../../views/components/frame";
import type { FieldError } from "../../../views/components/forms/field-errors";
import { inputOf } from "../../fields/field";
import { fragment } from "../../http/response";
import { actorOf, dashboardPath } from "../../security/session";
import { AlternativeText, Filename } from "../../storage/uploads/file-input";
import type { Deps } from "../deps";
import { readForm, typed } from "../form-input";
import { frameOf, isPartial, pages } from "../pages";
import { forEditors } from "../permissions";
import { notThere, queryBefore, seeOther, show, showDialog } from "../responses";
import { extras, openToNodes, wasInPictures } from "./pages";
import { path } from "./query";
import { paths } from "../../../views/paths";

/** The page of one file: preview, download, link, rename; of a picture also what it shows. */
export const fileDashboard = (deps: Deps) =>
  pages(`${path}/files`, deps, forEditors)
    .get("/:id", ({ request, params: { id }, query }) =>
      onFile(deps, request, id, (file) => showOne(deps, request, file, { isInPictures: query.in === "pictures" })),
    )
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
    )
    .get("/:id/replace", ({ request, params: { id } }) =>
      onFile(deps, request, id, (file) => askForOther(deps, request, file)),
    )
    .post(
      "/:id/replace",
      ({ request, params: { id }, body }) =>
        onFile(deps, request, id, (file) => replaceFile(deps, request, file, body.other)),
      { body: Replacing },
    )
    .post("/:id/describe", ({ request, params: { id }, body }) =>
      onFile(deps, request, id, (file) => describe(deps, request, file, body)),
    );

type Action = (file: files.StoredFile) => Promise<Response>;

/** Runs the action on a stored file that is not in the trash. */
async function onFile(deps: Deps, request: Request, id: string, action: Action) {
  const file = await files.findStored(deps.db, id);
  if (file) return action(file);
  const before = await files.find(deps.db, id); // in the trash, it still has its folder; later, the list may name it
  const isInPictures = new URL(request.url).searchParams.get("in") === "pictures" || wasInPictures(request);
  const list = isInPictures ? paths.pictures : path;
  const back = listUrl(
    { path: list, query: {} },
    { folder: before?.folder ?? queryBefore(request, list).folder ?? "" },
  );
  return notThere(await frameOf(deps, request), "This file has been deleted.", back);
}

async function download(deps: Deps, file: files.StoredFile) {
  const location = await deps.storage.links.download(file);
  return new Response(null, { status: 302, headers: { location, "cache-control": "no-store" } });
}

async function showLink(deps: Deps, request: Request, file: files.StoredFile) {
  const frame = await frameOf(deps, request);
  const url = await deps.storage.links.download(file);
  const until = new Date(deps.now().getTime() + hourMs);
  const sheet = <LinkSheet frame={frame} url={url} until={until} cancel={pageOf(request, file.id)} />;
  return showDialog(request, { frame, title: `Link to ${file.filename}`, children: sheet });
}

/** What was typed of a picture, and why it cannot be saved. */
type Unsaved = { alt: string; errors: FieldError[] };

/** How the page was opened. */
type Opened = { isInPictures: boolean; unsaved?: Unsaved };

async function showOne(deps: Deps, request: Request, file: files.StoredFile, { isInPictures, unsaved }: Opened) {
  await openToNodes(deps, request);
  const [frame, url, used, isPublic, beginning] = await Promise.all([
    frameIn(deps, request, isInPictures),
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
      isInPictures={isInPictures}
      {...(pictures.isPicture(file) && {
        picture: { src: files.sizedPath(file, previewWidth), input: altInput, ...unsaved },
      })}
    />
  );
  return show({ frame, title: file.filename, extras, ...(unsaved && { status: 422 }) }, content);
}

/** In the navigation, the page belongs to the list it was opened from. */
async function frameIn(deps: Deps, request: Request, isInPictures: boolean) {
  const frame = await frameOf(deps, request);
  return isInPictures ? { ...frame, path: paths.pictures } : frame;
}

/** The page of the file as it was opened. */
const pageOf = (request: Request, id: string) => (wasInPictures(request) ? paths.picture(id) : urlOf(id));

const previewWidth = 1_280; // px

const Replacing = z.object({ other: z.string().max(100).default("") });
const maxOthers = 24;

async function askForOther(deps: Deps, request: Request, file: files.StoredFile) {
  await openToNodes(deps, request);
  const isPicture = pictures.isPicture(file);
  const rows = isPicture ? await otherPictures(deps, file) : await replacements(deps.db, file, maxOthers);
  const others = rows.map((other) => ({ ...other, thumbnail: files.thumbnailOf(other) }));
  const frame = await frameOf(deps, request);
  const view = { frame, file, others, isPicture, cancel: pageOf(request, file.id) };
  const form = <ReplaceForm {...view} />;
  return showDialog(request, { frame, extras, title: `Replace ${file.filename}`, children: form });
}

/** Pictures of all folders that nothing uses. */
async function otherPictures({ db }: Deps, file: files.StoredFile) {
  const unused = { pictures: true, folder: "", use: "unused" } as const;
  const { rows } = await fileList.list(db, unused, "name", { page: 1, per: maxOthers + 1 });
  return rows.filter(({ id }) => id !== file.id).slice(0, maxOthers);
}

const refusals = {
  gone: "Not replaced: the other file no longer exists.",
  "in use": "Not replaced: the other file is in use.",
  "other type": "Not replaced: the other file has another type. Choose one of the same type.",
};

async function replaceFile(deps: Deps, request: Request, { id }: files.StoredFile, other: string) {
  const result = await replace(deps.db, { id, other }, actorOf(request), deps.now());
  const notice: Notice =
    result.outcome === "replaced"
      ? {
          kind: "good",
          text: `${result.filename} replaced. The previous file is in the trash.`,
          undo: { action: `${urlOf(id)}/replace`, fields: { other } },
        }
      : { kind: "bad", text: refusals[result.outcome] };
  return seeOther(request, pageOf(request, id), notice);
}

const percent = z.coerce.number("must be a number").int("must be a whole number").min(0).max(100);
const Description = z.object({
  alt: AlternativeText,
  focalX: percent.default(50),
  focalY: percent.default(50),
});

const altInput = inputOf("alt", Description.shape.alt);

async function describe(deps: Deps, request: Request, file: files.StoredFile, body: unknown) {
  const { input, errors } = readForm(Description, body);
  if (errors) return describeAgain(deps, request, file, { alt: typed(body, "alt"), errors });
  const { alt, focalX: x, focalY: y } = input;
  const isChanged = await pictures.describe(deps.db, file.id, { alt, focus: { x, y } }, actorOf(request), deps.now());
  const text = isChanged ? "Description saved." : "No changes to save.";
  return seeOther(request, pageOf(request, file.id), { kind: "good", text });
}

async function describeAgain(deps: Deps, request: Request, file: files.StoredFile, unsaved: Unsaved) {
  if (!isPartial(request)) return showOne(deps, request, file, { isInPictures: wasInPictures(request), unsaved });
  const src = files.sizedPath(file, previewWidth);
  const form = (
    <DescribePicture frame={await frameOf(deps, request)} file={file} src={src} input={altInput} {...unsaved} />
  );
  return fragment(form, 422, { "hx-retarget": "#describe-picture", "hx-reswap": "outerHTML" });
}

const Renaming = z.object({ filename: z.string().default(""), anyway: z.string().optional() });

async function askForName(deps: Deps, request: Request, file: files.StoredFile) {
  const frame = await frameOf(deps, request);
  const form = <RenameForm frame={frame} file={file} cancel={pageOf(request, file.id)} />;
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
      <RenameForm
        frame={frame}
        file={file}
        value={value}
        isTaken={isTaken}
        errors={errors}
        cancel={pageOf(request, file.id)}
      />
    );
    return showDialog(request, { frame, title: "Rename file", status: 422, children: form });
  }
  await fileBulk.edit(deps.db, { id: file.id, filename }, actorOf(request), deps.now());
  const text = filename === file.filename ? "Name not changed." : `Renamed to “${filename}”.`;
  const back = isPartial(request) ? dashboardPath(request.headers.get("hx-current-url")) : pageOf(request, file.id);
  return seeOther(request, back, { kind: "good", text });
}
