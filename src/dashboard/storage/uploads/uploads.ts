import * as uploads from "../../../../db/storage/uploads";
import { paths } from "../../../../views/paths";
import type { Deps } from "../../deps";
import { managerFor } from "../../../security/session/session";
import { pages } from "../../pages";
import { gone, standing } from "./responses";
import { begin } from "./begin";
import { abort, complete, fail, signParts, takenNames } from "./actions";

/**
 * Uploads from the browser, for the script in public/storage.ts: JSON, and URLs to which it sends the bytes, which
 * never pass through the service. A manager can act only on their own uploads; the storage page shows everyone's.
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

/** Runs the action on this manager's own upload. */
async function onOwn(deps: Deps, request: Request, id: string, action: Action): Promise<Response> {
  const upload = await uploads.find(deps.db, id);
  const isOwn = upload?.managerId === managerFor(request).manager.id;
  return upload && isOwn ? action(deps, request, upload) : gone();
}
