import { byId } from "../../../db/broadcasts/broadcasts";
import { path } from "../../../views/dashboard/broadcasts/state";
import type { Deps } from "../deps";
import { pages } from "../pages";
import { openComposer } from "./composer/composer";
import { gone } from "./gone";
import { showRun } from "./run";

/** The page of one broadcast: composer, progress or report, depending on its state. */
export const broadcastPage = (deps: Deps) =>
  pages(path, deps).get("/:id", ({ request, params: { id } }) => open(deps, request, id));

async function open(deps: Deps, request: Request, id: string) {
  const broadcast = await byId(deps.db, id);
  if (!broadcast || broadcast.deletedAt) return gone(deps, request);
  return broadcast.state === "draft" ? openComposer(deps, request, broadcast) : showRun(deps, request, broadcast);
}
