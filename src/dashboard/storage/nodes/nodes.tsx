import { NodeHead } from "../../../../views/dashboard/storage/nodes/node";
import { changeNodes, NodesHead, nodesPath as path } from "../../../../views/dashboard/storage/nodes/nodes";
import type { Deps } from "../../deps";
import { notThere, show } from "../../responses";
import { ownersOnly, frameOf, pages } from "../../pages";
import { gone } from "./responses";
import { countsOf, extras } from "../pages";
import { activate, drain, test } from "./actions";
import { detailsOf, listOf } from "./views";

/**
 * `/dashboard/storage/nodes`: the storage nodes, their space and their health checks. Managers can look; owners can
 * change them, because an endpoint may point to any machine that the service can reach.
 */
export const storageNodesDashboard = (deps: Deps) =>
  pages(path, deps)
    .onBeforeHandle(({ request }) => (request.method === "GET" ? undefined : ownersOnly(request, changeNodes)))
    .get("/", ({ request }) => showAll(deps, request))
    .get("/:id", ({ request, params: { id } }) => showOne(deps, request, id))
    .post("/:id/test", ({ request, params: { id } }) => test(deps, request, id))
    .post("/:id/drain", ({ request, params: { id } }) => drain(deps, request, id))
    .post("/:id/activate", ({ request, params: { id } }) => activate(deps, request, id));

async function showAll(deps: Deps, request: Request) {
  const [frame, counts] = await Promise.all([frameOf(deps, request), countsOf(deps)]);
  const content = (
    <>
      <NodesHead counts={counts} frame={frame} />
      {await listOf(deps, frame)}
    </>
  );
  return show({ frame, title: "Storage nodes", extras }, content);
}

async function showOne(deps: Deps, request: Request, id: string) {
  const [frame, node] = await Promise.all([frameOf(deps, request), deps.storage.nodes.find(id)]);
  if (!node) return notThere(frame, gone, path);
  const content = (
    <>
      <NodeHead node={node} frame={frame} />
      {await detailsOf(deps, frame, node)}
    </>
  );
  return show({ frame, title: `${node.name} · Storage nodes`, extras }, content);
}
