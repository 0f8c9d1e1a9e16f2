import { z } from "zod";
import * as trash from "../../../../db/storage/rules";
import * as duplicateNames from "../../../../db/storage/duplicate-names";
import * as uploads from "../../../../db/storage/uploads";
import type { Deps } from "../../deps";
import { actorOf } from "../../../security/session/session";
import { FailedPut } from "../../../storage/uploads/upload-input";
import { list } from "../../../http/request-schemas";
import { gone, json, nodeUnavailable, refuse, standing } from "./responses";
import { Place } from "./begin";

/** An invalid name is not taken by any file; its reservation will say what is wrong with it. */
const Names = z.object({ files: list(Place.nullable().catch(null), 100, "must be a list") });
const Numbers = z.object({
  numbers: list(z.int().min(1).max(10_000), 100, "must be a list").refine(({ length }) => length > 0),
});

const Completion = z.object({ replace: z.boolean() }).catch({ replace: false });

export async function takenNames({ db }: Deps, body: unknown) {
  const { data } = Names.safeParse(body);
  return data ? json({ taken: await duplicateNames.taken(db, data.files) }) : json({ taken: [] }, 422);
}

export async function signParts({ storage }: Deps, { id }: uploads.Upload, body: unknown) {
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

export async function complete(deps: Deps, request: Request, upload: uploads.Upload, body: unknown) {
  const completed = await deps.storage.complete(upload.id);
  if (completed?.outcome === "unavailable") return nodeUnavailable();
  const { replace } = Completion.parse(body);
  if (completed?.outcome === "completed" && replace) await replaceOlder(deps, request, upload.id);
  return standing(deps, request, upload);
}

export async function fail(deps: Deps, request: Request, upload: uploads.Upload, body: unknown) {
  const { data } = FailedPut.safeParse(body);
  if (!data) return gone();
  await deps.storage.fail(upload.id, data, actorOf(request));
  return standing(deps, request, upload);
}

export async function abort(deps: Deps, request: Request, upload: uploads.Upload) {
  await deps.storage.abort(upload.id, "cancelled in the dashboard", actorOf(request));
  return standing(deps, request, upload);
}

/** Older files that this one replaces are moved to the trash, except those that a post or project uses. */
async function replaceOlder(deps: Deps, request: Request, id: string): Promise<void> {
  for (const older of await duplicateNames.olderDuplicates(deps.db, id))
    await trash.trash(deps.db, older, actorOf(request), deps.now());
}
