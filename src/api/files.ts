import { Elysia } from "elysia";
import { z } from "zod";
import { outside } from "../../db/access/keys/api-keys";
import * as audit from "../../db/audit";
import { trash } from "../../db/storage/trash";
import { urlLifetimeSeconds } from "../../db/storage/uploads";
import * as files from "../../db/storage/files";
import * as fileBulk from "../../db/storage/files-bulk";
import * as folders from "../../db/storage/folders";
import type { Deps } from "./deps";
import type { Config } from "../platform/config";
import { parseOptional } from "../http/request-body";
import { namedOrAbsent, nullAsAbsent, pageSize } from "../http/request-schemas";
import { AlternativeText, Filename, FocalPoint, FolderPath, MetadataChanges } from "../storage/uploads/file-input";
import { contextOf } from "../platform/request-context";
import { keyActorOf } from "../security/require-api-key";
import { cursor, cursorAfter, hintFor, pageHeaders } from "./cursor";
import { fail, ok } from "./envelope";
import { bodyExample, failure, redirect, success } from "../openapi/responses";
import { needs } from "../openapi/scopes";

const ListFiles = z.object({
  folderPath: FolderPath.optional().meta({ description: "Folder to list. Omit for files outside any folder." }),
  limit: pageSize(50),
  cursor: cursor(z.tuple([z.string().max(2_000), z.string().max(100)]), 9_000), // 255 bytes are 1,530 characters when folded
});

const FileChanges = z
  .object({
    filename: nullAsAbsent(Filename, "string"),
    folderPath: nullAsAbsent(FolderPath, "string").meta({
      description: 'Created if it does not exist. Empty ("") for outside any folder.',
    }),
    metadata: namedOrAbsent(MetadataChanges),
    alt: nullAsAbsent(AlternativeText, "string").meta({
      description: 'Alternative text of a picture, in one line. Empty ("") for none.',
    }),
    focus: namedOrAbsent(FocalPoint),
  })
  .meta({ id: "FileChanges" });

const inSeconds = "must be a whole number from 60 to 604800";
const LinkOptions = z
  .object({
    expiresIn: nullAsAbsent(z.int(inSeconds).min(60, inSeconds).max(604_800, inSeconds), "integer").meta({
      description: "How long the URL is valid: from 60 to 604800 seconds (seven days), 3600 unless named.",
    }),
    download: nullAsAbsent(z.boolean("must be true or false"), "boolean").meta({
      description:
        "Whether browsers save the file, as they do unless this is false. Then they show pictures, video, audio and PDF.",
    }),
  })
  .meta({ id: "FileLinkOptions" });

const noStore = { "cache-control": "no-store" };
const notFound = () => fail(404, "NOT_FOUND", "File not found.");

/** For the keyed area: the uploaded files, whoever uploaded them. */
export const storedFiles = (deps: Deps) =>
  new Elysia({ prefix: "/storage/files" })
    .get("/", ({ query, request }) => list(deps, request, query), { query: ListFiles, detail: docs.list })
    .get("/:id", ({ params: { id } }) => showOne(deps, id), { detail: docs.one })
    .patch("/:id", ({ request, params: { id }, body }) => update(deps, request, id, body), {
      parse: "json",
      body: FileChanges,
      detail: docs.update,
    })
    .get("/:id/download", ({ params: { id } }) => download(deps, id), { detail: docs.download })
    .post("/:id/link", ({ request, params: { id }, body }) => share(deps, request, id, body), {
      parse: parseOptional, // without a body, the defaults are meant
      body: LinkOptions,
      detail: docs.share,
    })
    .delete("/:id", ({ request, params: { id } }) => remove(deps, request, id), { detail: docs.remove });

async function list(
  { config, db }: Deps,
  request: Request,
  { folderPath = "", limit, cursor: position }: z.infer<typeof ListFiles>,
) {
  const after = position && { folded: position[0], id: position[1] };
  const [{ files: page, total, next }, inside] = await Promise.all([
    files.listIn(db, folderPath, { limit, after }),
    after ? [] : folders.listIn(db, folderPath),
  ]);
  const nextPage = next && { folderPath, limit, cursor: cursorAfter([next.folded, next.id]) };
  return ok(
    {
      count: page.length,
      files: page.map((file) => fileJson(config, file)),
      folders: inside.map(({ path, files: count }) => ({ path, files: count })),
    },
    200,
    {
      ...noStore,
      ...hintFor(request, ListFiles.shape),
      ...pageHeaders(`${config.BASE_URL}/api/v1/storage/files`, total, nextPage),
    },
  );
}

async function showOne({ config, db }: Deps, id: string) {
  const file = await files.findStored(db, id);
  return file ? ok(fileJson(config, file), 200, noStore) : notFound();
}

async function download({ db, storage }: Deps, id: string) {
  const file = await files.findStored(db, id);
  if (!file) return notFound();
  const location = await storage.links.download(file);
  return new Response(null, { status: 302, headers: { location, ...noStore } });
}

async function share(deps: Deps, request: Request, id: string, options: z.infer<typeof LinkOptions>) {
  const { db, now, storage } = deps;
  const { expiresIn = urlLifetimeSeconds, download: isSaved = true } = options;
  const file = await files.findStored(db, id);
  if (!file) return notFound();
  const { url, expiresAt } = await storage.links.share(file, { expiresIn, isShown: !isSaved });
  const until = expiresAt.toISOString();
  const shared = { targetId: id, target: file.filename, details: { until } };
  await audit.recordAlone(db, { ...(await keyActorOf(deps.db, request)), action: "file.share", ...shared }, now());
  return ok({ url, expiresAt: until }, 200, noStore);
}

async function update(deps: Deps, request: Request, id: string, changes: z.infer<typeof FileChanges>) {
  const faults = outside(contextOf(request).uploadLimits, { folderPath: changes.folderPath });
  if (faults.length) return fail(400, "VALIDATION_ERROR", "The request is not valid.", faults);
  const edited = await fileBulk.edit(deps.db, { id, ...changes }, await keyActorOf(deps.db, request), deps.now());
  if (typeof edited !== "object") return showOne(deps, id);
  const details = [{ field: edited.field, message: edited.problem }];
  return fail(400, "VALIDATION_ERROR", "The request is not valid.", details);
}

async function remove(deps: Deps, request: Request, id: string) {
  const { db, now } = deps;
  const outcome = await trash(db, id, await keyActorOf(deps.db, request), now());
  if (outcome === "in use")
    return fail(409, "CONFLICT", "This file is in use: by a post, a project, a broadcast or a setting.");
  const file = outcome === "trashed" ? await files.find(db, id) : undefined;
  if (!file?.purgeAt) return notFound();
  return ok({ id: file.id, purgeAt: file.purgeAt.toISOString() }, 200, noStore);
}

const fileJson = (config: Config, file: files.StoredFile) => ({
  id: file.id,
  filename: file.filename,
  mimeType: file.mimeType,
  size: file.size,
  folderPath: file.folder,
  etag: file.etag,
  checksums: file.checksums ?? {},
  metadata: file.metadata ?? {},
  width: file.width,
  height: file.height,
  alt: file.alt,
  focus: file.focalX === null || file.focalY === null ? null : { x: file.focalX, y: file.focalY },
  mediaUrl: config.BASE_URL + files.mediaPath(file),
  createdAt: file.storedAt.toISOString(),
});

const docs = {
  list: {
    operationId: "listFiles",
    security: needs("files:read"),
    summary: "List files",
    description: "Completed files of one folder, by name, and its subfolders. Every key can see all files.",
    responses: { 200: success("FileList", "Files and direct subfolders.") },
  },
  one: {
    operationId: "getFile",
    security: needs("files:read"),
    summary: "Get a file’s details",
    description: "The ID is the `reservationId` of its upload. Files in the trash return 404.",
    responses: { 200: success("File", "The file."), 404: failure("File not found.") },
  },
  download: {
    operationId: "downloadFile",
    security: needs("files:read"),
    summary: "Download a file",
    description:
      "Redirects to a signed storage URL valid for one hour. Do not follow the redirect automatically: `curl -L` and `fetch` would send the key to the storage server. Read `Location` and request it without the key.",
    responses: { 302: redirect("Redirect to the file’s signed URL."), 404: failure("File not found.") },
  },
  update: {
    operationId: "updateFile",
    security: needs("files:write"),
    summary: "Rename, move or describe a file",
    description:
      "Changes what the body names and leaves the rest, in one step: name, folder, metadata, and of a picture its alternative text and focal point, which the dashboard shows too. Names need not be unique in a folder. Existing media URLs keep working, because their ID decides.",
    requestBody: bodyExample({ filename: "harbour-at-night.jpg", folderPath: "photos/2026" }),
    responses: { 200: success("File", "The file as it is now."), 404: failure("File not found.") },
  },
  share: {
    operationId: "createFileLink",
    security: needs("files:read"),
    summary: "Get a link to a file",
    description:
      "A signed storage URL that needs no key, for at most seven days. It works for everyone who has it, until it expires or the file is permanently deleted; the end of the key does not end it.",
    requestBody: { ...bodyExample({ expiresIn: 86_400 }), required: false },
    responses: { 200: success("FileLink", "The URL."), 404: failure("File not found.") },
  },
  remove: {
    operationId: "deleteFile",
    security: needs("files:write"),
    summary: "Delete a file",
    description: "Moves the file to the trash, where managers can restore it for 30 days. Idempotent.",
    responses: {
      200: success("TrashedFile", "The file is in the trash."),
      404: failure("File not found."),
      409: failure("This file is in use: by a post, a project, a broadcast or a setting."),
    },
  },
};
