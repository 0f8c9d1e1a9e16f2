import { z } from "zod";
import * as trash from "../../../db/storage/trash";
import * as duplicateNames from "../../../db/storage/duplicate-names";
import * as uploads from "../../../db/storage/uploads";
import type { Deps } from "../../boot/deps";
import { actorOf, managerFor } from "../../security/session";
import { FailedPut, isForWantOfRoom } from "../../storage/uploads/failed-put";
import { list } from "../../http/request-schemas";
import { pages } from "../pages";
import { paths } from "../../../views/paths";
import { nodeUnavailable, refuse, standing, json, gone } from "./upload-responses";
import { Place, begin } from "./upload-begin";

/** What is no name is taken by no file: its reservation will tell what is wrong with it. */
const Names = z.object({ files: list(Place.nullable().catch(null), 100, "must be a list") });
const Numbers = z.object({
  numbers: list(z.int().min(1).max(10_000), 100, "must be a list").refine(({ length }) => length > 0),
});

const Completion = z.object({ replace: z.boolean() }).catch({ replace: false });

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

/** Files that this one replaces go to the trash; one that a post or project shows stays. */
async function replaceOlder(deps: Deps, request: Request, id: string): Promise<void> {
  for (const older of await duplicateNames.olderDuplicates(deps.db, id))
    await trash.trash(deps.db, older, actorOf(request), deps.now());
}
