import * as audit from "../../db/audit";
import type { AuditAction } from "../../db/audit";
import type { Deps } from "./deps";
import { actorOf } from "../security/session";
import { contextOf } from "../platform/request-context";

type File = {
  /** Without the date, which is added: "subscribers". */
  name: string;
  extension: keyof typeof types;
  /** The action in the audit log. */
  action: AuditAction;
  /** The person whose data the file contains, for the audit log. */
  target?: string;
  /** When the content was as it is, for its name; now, if left out. */
  at?: Date;
};

const types = {
  csv: "text/csv; charset=utf-8",
  json: "application/json; charset=utf-8",
  zip: "application/zip",
  "tar.zst.age": "application/octet-stream",
};

/**
 * Sends a file of everything that a list shows while it is being read, so that its size does not matter. It may contain
 * people's addresses, so the audit log records who took it before a byte is sent (D40). HEAD and prefetching requests
 * get nothing: a copy that no one requested would be in the browser without being in the log.
 */
export async function download(
  { db, now }: Pick<Deps, "db" | "now">,
  request: Request,
  { name, extension, action, target, at = now() }: File,
  content: AsyncIterable<string | Uint8Array>,
): Promise<Response> {
  if (contextOf(request).isPassive) return notAhead();
  await audit.recordAlone(db, { ...actorOf(request), action, target }, now());
  return new Response(content, {
    headers: {
      "content-type": types[extension],
      "content-disposition": `attachment; filename="${name}-${at.toISOString().slice(0, 10)}.${extension}"`,
      "cache-control": "no-store",
    },
  });
}

const notAhead = () =>
  new Response("Downloads are not fetched ahead of time. Open the link to download the file.\n", {
    status: 403,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  });
