import { z } from "zod";
import { isDatabaseFault } from "../../../db/engine/errors";
import * as duplicateNames from "../../../db/storage/duplicate-names";
import * as reservations from "../../../db/storage/reservations";
import * as uploads from "../../../db/storage/uploads";
import { bytes } from "../../../views/components/bytes";
import type { Deps } from "../../boot/deps";
import { described } from "../../telemetry/log";
import { sha256 } from "../../security/secrets";
import { actorOf, managerFor } from "../../security/session";
import { Filename, FolderPath, MimeType, Size } from "../../storage/uploads/file-input";
import { contextOf } from "../../http/request-context";
import { nodeUnavailable, refuse, standing, json } from "./upload-responses";

export const Place = z.object({ filename: Filename, folderPath: FolderPath });
const Wanted = Place.extend({
  // The browser's guess, from the ending: what it says strangely is of no type
  mimeType: MimeType.catch("application/octet-stream"),
  size: Size,
  keepBoth: z.boolean().default(false),
});

/** Reserves room for a file. */
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
  const rest = free
    ? `The most free space is ${bytes(free.freeBytes)}, on ${free.name}.`
    : "No other node accepts files.";
  return `No storage node has ${bytes(size)} free. ${rest}`;
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
