import * as uploads from "../../../../db/storage/uploads";
import type { Deps } from "../../deps";
import { contextOf } from "../../../platform/request-context";

export const json = (content: unknown, status = 200) =>
  Response.json(content, { status, headers: { "cache-control": "no-store" } });
export const refuse = (status: number, message: string) => json({ message }, status);
export const gone = () => refuse(404, "This upload no longer exists.");
export const nodeUnavailable = () => refuse(502, "The storage node is not responding.");

/** The status of an upload, after checking the node; HEAD only reads what was last seen (D9). */
export async function standing(deps: Deps, request: Request, upload: uploads.Upload): Promise<Response> {
  const status = await deps.storage.status(upload.id, !contextOf(request).isHead);
  if (!status) return gone();
  if (status === "unknown") return nodeUnavailable();
  const { id, state, size, partSize, parts } = status;
  return json({ id, state, filename: upload.filename, size, partSize, received: parts });
}
