import { z } from "zod";
import { isDatabaseFault } from "../../../../db/engine/errors";
import * as duplicateNames from "../../../../db/storage/duplicate-names";
import * as uploads from "../../../../db/storage/uploads";
import { bytes } from "../../../../views/components/bytes";
import type { Deps } from "../../deps";
import { described } from "../../../platform/log";
import { actorOf, managerFor } from "../../../security/session/session";
import { Filename, FolderPath, MimeType, Size } from "../../../storage/uploads/file-input";
import { contextOf } from "../../../platform/request-context";
import { gone, json, nodeUnavailable, refuse, standing } from "./responses";
import { inWords, noRoom, repeatableOf } from "./refusals";

export const Place = z.object({ filename: Filename, folderPath: FolderPath });
const Wanted = Place.extend({
  // The browser's guess from the file extension: an invalid one counts as no type
  mimeType: MimeType.catch("application/octet-stream"),
  size: Size,
  keepBoth: z.boolean().default(false),
});

/** Reserves space for a file. */
export async function begin(deps: Deps, request: Request, body: unknown) {
  const { data, error } = Wanted.safeParse(body);
  if (!data) return refuse(422, inWords(error));
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
  if (typeof grant === "string") return refuse(507, await noRoom(deps, size));
  const id = "complete" in grant ? grant.complete : grant._meta.reservationId;
  const upload = await uploads.find(deps.db, id);
  if (!upload) return gone();
  if ("complete" in grant) return standing(deps, request, upload);
  return json(
    { id, state: "open", filename: upload.filename, size, partSize: grant.partSize ?? size, received: [] },
    201,
  );
}
