import { z } from "zod";
import { isDatabaseFault } from "../../../../db/engine/errors";
import * as duplicateNames from "../../../../db/storage/repeated";
import { trash } from "../../../../db/storage/trash";
import * as uploads from "../../../../db/storage/uploads";
import { bytes } from "../../../../views/components/bytes";
import { paths } from "../../../../views/paths";
import { list } from "../../../http/request-schemas";
import { described } from "../../../platform/log";
import { contextOf } from "../../../platform/request-context";
import { sha256 } from "../../../security/secrets";
import { actorOf, managerFor } from "../../../security/session";
import { FailedPut, Filename, FolderPath, MimeType, Size } from "../../../storage/uploads/file-input";
import type { Deps } from "../../deps";
import { pages } from "../../pages";
import { forEditors } from "../../permissions";
import { json } from "../../responses";

/**
 * Uploads from the browser, for the script in public/storage.ts: JSON, and URLs to which it sends the bytes, which
 * never pass through the service. A manager can act only on their own uploads; the storage page shows everyone's.
 */
export const uploadsDashboard = (deps: Deps) =>
  pages(paths.openUploads, deps, forEditors)
    .post("/names", ({ body }) => takenNames(deps, body))
    .post("/", ({ request, body }) => begin(deps, request, body))
    .get("/:id", ({ request, params }) =>
      onOwn(deps, request, params.id, (upload) => respondWithStatus(deps, request, upload)),
    )
    .post("/:id/parts", ({ request, params, body }) =>
      onOwn(deps, request, params.id, (upload) => signParts(deps, upload, body)),
    )
    .post("/:id/complete", ({ request, params, body }) =>
      onOwn(deps, request, params.id, (upload) => complete(deps, request, upload, body)),
    )
    .post("/:id/failed", ({ request, params, body }) =>
      onOwn(deps, request, params.id, (upload) => fail(deps, request, upload, body)),
    )
    .post("/:id/abort", ({ request, params }) =>
      onOwn(deps, request, params.id, (upload) => abort(deps, request, upload)),
    );

type Action = (upload: uploads.Upload) => Promise<Response>;

/** Runs the action on this manager's own upload. */
async function onOwn(deps: Deps, request: Request, id: string, action: Action): Promise<Response> {
  const upload = await uploads.find(deps.db, id);
  const isOwn = upload?.managerId === managerFor(request).manager.id;
  return upload && isOwn ? action(upload) : gone();
}

const Place = z.object({ filename: Filename, folderPath: FolderPath });
const Wanted = Place.extend({
  // The browser's guess from the file extension: an invalid one counts as no type
  mimeType: MimeType.catch("application/octet-stream"),
  size: Size,
  keepBoth: z.boolean().default(false),
});

/** Reserves space for a file. */
async function begin(deps: Deps, request: Request, body: unknown) {
  const { data, error } = Wanted.safeParse(body);
  if (!data) return refuse(422, fileSentence(error));
  try {
    return await reserve(deps, request, data);
  } catch (fault) {
    if (isDatabaseFault(fault)) throw fault;
    deps.log.error("upload failed", { id: contextOf(request).id, ...described(fault) });
    return nodeUnavailable();
  }
}

async function reserve(
  deps: Deps,
  request: Request,
  { keepBoth, ...wanted }: z.infer<typeof Wanted>,
): Promise<Response> {
  const { size } = wanted;
  const { manager } = managerFor(request);
  const repeatable = repeatableOf(request, { manager: manager.id, ...wanted });
  const filename = keepBoth ? await duplicateNames.freeName(deps.db, wanted) : wanted.filename;
  const by = { ...actorOf(request), details: { size: bytes(size) } };
  const file = { ...wanted, filename, multipart: true, managerId: manager.id, by };
  const grant = await (repeatable ? deps.storage.reserveOnce(file, repeatable) : deps.storage.reserve(file));
  if (typeof grant === "string") return refuse(507, await noSpace(deps, size));
  const id = "complete" in grant ? grant.complete : grant._meta.reservationId;
  const upload = await uploads.find(deps.db, id);
  if (!upload) return gone();
  if ("complete" in grant) return respondWithStatus(deps, request, upload);
  return json(
    { id, state: "open", filename: upload.filename, size, partSize: grant.partSize ?? size, received: [] },
    201,
  );
}

/** No file has an invalid name, so such a name counts as free here; reserving it says what is wrong. */
const Names = z.object({ files: list(Place.nullable().catch(null), 100, "must be a list") });
const Numbers = z.object({
  numbers: list(z.int().min(1).max(10_000), 100, "must be a list").refine(({ length }) => length > 0),
});

const Completion = z.object({ replace: z.boolean() }).catch({ replace: false });

async function takenNames({ db }: Deps, body: unknown) {
  const { data } = Names.safeParse(body);
  return data ? json({ taken: await duplicateNames.taken(db, data.files) }) : json({ taken: [] }, 422);
}

async function signParts({ storage }: Deps, { id }: uploads.Upload, body: unknown) {
  const { data } = Numbers.safeParse(body);
  if (!data) return gone();
  const wanted = new Set(data.numbers);
  const signed = await storage.partUrls(id, (part) => wanted.has(part));
  if (!signed) return gone();
  if (signed.outcome === "unavailable") return nodeUnavailable();
  if (signed.outcome === "closed") return refuse(409, "This upload is already finished or cancelled.");
  const urls = Object.fromEntries(signed.parts.map(({ part, url }) => [part, url]));
  return json({ urls, expiresIn: signed.expiresIn });
}

async function complete(deps: Deps, request: Request, upload: uploads.Upload, body: unknown) {
  const completed = await deps.storage.complete(upload.id);
  if (completed?.outcome === "unavailable") return nodeUnavailable();
  const { replace } = Completion.parse(body);
  if (completed?.outcome === "completed" && replace) await replaceOlder(deps, request, upload.id);
  return respondWithStatus(deps, request, upload);
}

async function fail(deps: Deps, request: Request, upload: uploads.Upload, body: unknown) {
  const { data } = FailedPut.safeParse(body);
  if (!data) return gone();
  await deps.storage.fail(upload.id, data, actorOf(request));
  return respondWithStatus(deps, request, upload);
}

async function abort(deps: Deps, request: Request, upload: uploads.Upload) {
  await deps.storage.abort(upload.id, "cancelled in the dashboard", actorOf(request));
  return respondWithStatus(deps, request, upload);
}

/** Older files that this one replaces are moved to the trash, except those that a post or project uses. */
async function replaceOlder(deps: Deps, request: Request, id: string): Promise<void> {
  for (const older of await duplicateNames.olderDuplicates(deps.db, id))
    await trash(deps.db, older, actorOf(request), deps.now());
}

async function noSpace(deps: Deps, size: number): Promise<string> {
  const active = (await deps.storage.nodes.list()).filter(
    ({ state, refusedBytes }) => state === "active" && (refusedBytes ?? Infinity) > size,
  );
  const [free] = active.sort((a, b) => b.freeBytes - a.freeBytes);
  const rest = free
    ? `The most free space is ${bytes(free.freeBytes)}, on ${free.name}.`
    : "No other node accepts files.";
  return `No storage node has ${bytes(size)} free. ${rest}`;
}

/** Identifies a repeated request after a lost response, by a header that the script sends. */
function repeatableOf({ headers }: Request, wanted: object): duplicateNames.Repeatable | undefined {
  const key = headers.get("idempotency-key");
  return key ? { key: sha256(`upload ${key} ${JSON.stringify(wanted)}`), fingerprint: "" } : undefined;
}

/** Returns the first error as a sentence about the file. */
function fileSentence(error: z.ZodError): string {
  const { path, message } = error.issues[0] ?? { path: [], message: "is not valid" };
  const names: Record<string, string> = { filename: "The name", folderPath: "The folder", size: "The size" };
  return `${names[String(path[0])] ?? "The file"} ${message}.`;
}

const refuse = (status: number, message: string) => json({ message }, status);
const gone = () => refuse(404, "This upload no longer exists.");
const nodeUnavailable = () => refuse(502, "The storage node is not responding.");

/** The status of an upload, after checking the node; HEAD only reads what was last seen (D9). */
async function respondWithStatus(deps: Deps, request: Request, upload: uploads.Upload): Promise<Response> {
  const status = await deps.storage.status(upload.id, !contextOf(request).isHead);
  if (!status) return gone();
  if (status === "unknown") return nodeUnavailable();
  const { id, state, size, partSize, parts, outcome } = status;
  const refusal = outcome?.startsWith("refused by ") && { refusal: `This file was ${outcome}.` };
  return json({ id, state, filename: upload.filename, size, partSize, received: parts, ...refusal });
}
