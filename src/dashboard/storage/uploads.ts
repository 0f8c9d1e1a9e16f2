import { z } from "zod";
import { isDatabaseFault } from "../../../db/engine/errors";
import * as trash from "../../../db/storage/trash";
import * as duplicateNames from "../../../db/storage/duplicate-names";
import * as reservations from "../../../db/storage/reservations";
import * as uploads from "../../../db/storage/uploads";
import { bytes } from "../../../views/components/bytes";
import type { Deps } from "../../boot/deps";
import { described } from "../../telemetry/log";
import { sha256 } from "../../security/secrets";
import { actorOf, managerFor } from "../../security/session";
import { FailedPut, isForWantOfRoom } from "../../storage/uploads/failed-put";
import { Filename, FolderPath, MimeType, Size } from "../../storage/uploads/file-input";
import { contextOf } from "../../http/request-context";
import { list } from "../../http/request-schemas";
import { pages } from "../pages";
import { paths } from "../../../views/paths";

const Place = z.object({ filename: Filename, folderPath: FolderPath });
/** What is no name is taken by no file: its reservation will tell what is wrong with it. */
const Names = z.object({ files: list(Place.nullable().catch(null), 100, "must be a list") });
const Wanted = Place.extend({
  // The browser's guess, from the ending: what it says strangely is of no type
  mimeType: MimeType.catch("application/octet-stream"),
  size: Size,
  keepBoth: z.boolean().default(false),
});
const Numbers = z.object({
  numbers: list(z.int().min(1).max(10_000), 100, "must be a list").refine(({ length }) => length > 0),
});
const Completion = z.object({ replace: z.boolean() }).catch({ replace: false });

const json = (content: unknown, status = 200) =>
  Response.json(content, { status, headers: { "cache-control": "no-store" } });
const refuse = (status: number, message: string) => json({ message }, status);
const gone = () => refuse(404, "There is no such upload any more.");
const inTrouble = () => refuse(502, "The storage node does not answer.");

/**
 * Uploads from the browser, for the script of public/storage.ts: JSON, and URLs to which it sends the bytes. They never
 * pass here. A manager's uploads are his own; what others have under way is shown to all, on the storage page.
 */
export const uploadsDashboard = (deps: Deps) =>
  pages(paths.openUploads, deps)
    .post("/names", ({ body }) => takenNames(deps, body))
    .post("/", ({ request, body }) => begin(deps, request, body))
    .get("/:id", ({ request, params }) => onOwn(deps, request, params.id, standing))
    .post("/:id/parts", ({ request, params, body }) =>
      onOwn(deps, request, params.id, (_, __, upload) => signParts(deps, upload, body)),
    )
    .post("/:id/complete", ({ request, params, body }) =>
      onOwn(deps, request, params.id, (_, __, upload) => complete(deps, request, upload, body)),
    )
    .post("/:id/failed", ({ request, params, body }) =>
      onOwn(deps, request, params.id, (_, __, upload) => fail(deps, request, upload, body)),
    )
    .post("/:id/abort", ({ request, params }) => onOwn(deps, request, params.id, abort));

type Action = (deps: Deps, request: Request, upload: uploads.Upload) => Promise<Response>;

/** The action on an upload that is this manager's own. */
async function onOwn(deps: Deps, request: Request, id: string, action: Action): Promise<Response> {
  const upload = await uploads.find(deps.db, id);
  const isOwn = upload?.managerId === managerFor(request).manager.id;
  return upload && isOwn ? action(deps, request, upload) : gone();
}

async function takenNames({ db }: Deps, body: unknown) {
  const { data } = Names.safeParse(body);
  return data ? json({ taken: await duplicateNames.taken(db, data.files) }) : json({ taken: [] }, 422);
}

async function begin(deps: Deps, request: Request, body: unknown) {
  const { data, error } = Wanted.safeParse(body);
  if (!data) return refuse(422, inWords(error));
  try {
    return await reserve(deps, request, data);
  } catch (fault) {
    if (isDatabaseFault(fault)) throw fault;
    deps.log.error("upload failed", { id: contextOf(request).id, ...described(fault) });
    return inTrouble();
  }
}

async function signParts({ storage }: Deps, { id }: uploads.Upload, body: unknown) {
  const { data } = Numbers.safeParse(body);
  if (!data) return gone();
  const wanted = new Set(data.numbers);
  const signed = await storage.partUrls(id, (part) => wanted.has(part));
  if (!signed) return gone();
  if (signed.outcome === "trouble") return inTrouble();
  if (signed.outcome === "closed") return refuse(409, "The upload is closed.");
  const urls = Object.fromEntries(signed.parts.map(({ part, url }) => [part, url]));
  return json({ urls, expiresIn: signed.expiresIn });
}

async function complete(deps: Deps, request: Request, upload: uploads.Upload, body: unknown) {
  const completed = await deps.storage.complete(upload.id);
  if (completed?.outcome === "trouble") return inTrouble();
  const { replace } = Completion.parse(body);
  if (completed?.outcome === "completed" && replace) await replaceOlder(deps, request, upload.id);
  return standing(deps, request, upload);
}

async function fail(deps: Deps, request: Request, upload: uploads.Upload, body: unknown) {
  const { data } = FailedPut.safeParse(body);
  if (!data) return gone();
  await deps.storage.fail(upload.id, isForWantOfRoom(data), actorOf(request));
  return standing(deps, request, upload);
}

async function abort(deps: Deps, request: Request, upload: uploads.Upload) {
  await deps.storage.abort(upload.id, "cancelled in the dashboard", actorOf(request));
  return standing(deps, request, upload);
}

/** How it stands, after a look at the node; HEAD only reads what was last seen (D9). */
async function standing(deps: Deps, request: Request, upload: uploads.Upload): Promise<Response> {
  const status = await deps.storage.status(upload.id, !contextOf(request).isHead);
  if (!status) return gone();
  const { id, state, size, partSize, parts } = status;
  return json({ id, state, filename: upload.filename, size, partSize, received: parts });
}

async function reserve(
  deps: Deps,
  request: Request,
  { keepBoth, ...wanted }: z.infer<typeof Wanted>,
): Promise<Response> {
  const { size } = wanted;
  const { manager } = managerFor(request);
  const repeatable = repeatableOf(request, { manager: manager.id, ...wanted });
  const before = repeatable && (await reservations.findRepeated(deps.db, repeatable, deps.now()));
  if (typeof before === "object") return standing(deps, request, before);
  const filename = keepBoth ? await duplicateNames.freeName(deps.db, wanted) : wanted.filename;
  const asked = { by: { ...actorOf(request), details: { size: bytes(size) } }, repeatable };
  const grant = await deps.storage.reserve({ ...wanted, filename, multipart: true, managerId: manager.id, asked });
  if (typeof grant === "string") return refuse(507, await noRoom(deps, wanted.size));
  const id = grant._meta.reservationId;
  return json({ id, state: "open", filename, size, partSize: grant.partSize ?? size, received: [] }, 201);
}

async function noRoom(deps: Deps, size: number): Promise<string> {
  const active = (await deps.storage.nodes.list()).filter(
    ({ state, refusedBytes }) => state === "active" && (refusedBytes ?? Infinity) > size,
  );
  const [free] = active.sort((a, b) => b.freeBytes - a.freeBytes);
  const rest = free ? `Largest free: ${free.name}, ${bytes(free.freeBytes)}.` : "No other node takes files.";
  return `No node has room for ${bytes(size)}. ${rest}`;
}

/** Files that this one replaces go to the trash; one that a post or project shows stays. */
async function replaceOlder(deps: Deps, request: Request, id: string): Promise<void> {
  for (const older of await duplicateNames.olderDuplicates(deps.db, id))
    await trash.trash(deps.db, older, actorOf(request), deps.now());
}

/** What tells that the same is asked again, because an answer got lost: the script says so in a header. */
function repeatableOf({ headers }: Request, wanted: object): uploads.Repeatable | undefined {
  const key = headers.get("idempotency-key");
  return key ? { key: sha256(`upload ${key} ${JSON.stringify(wanted)}`), fingerprint: "" } : undefined;
}

/** The first thing that is wrong, as a sentence about the file. */
function inWords(error: z.ZodError): string {
  const { path, message } = error.issues[0] ?? { path: [], message: "is not valid" };
  const names: Record<string, string> = { filename: "The name", folderPath: "The folder", size: "The size" };
  return `${names[String(path[0])] ?? "The file"} ${message}.`;
}
