import { dayMs } from "../../../../db/lib/time";
import * as nodeEdits from "../../../../db/storage/nodes/edit";
import type { Frame, Notice } from "../../../../views/components/frame";
import { NodeDetails, NodeHead } from "../../../../views/dashboard/storage/nodes/node";
import {
  changeNodes,
  NodeList,
  NodesHead,
  nodesPath as path,
  type Problem,
} from "../../../../views/dashboard/storage/nodes/nodes";
import { actorOf, dashboardPath } from "../../../security/session";
import type { Capability } from "../../../storage/nodes/capabilities";
import type { NodeView } from "../../../storage/nodes/nodes";
import type { Deps } from "../../deps";
import { frameOf, pages } from "../../pages";
import { forManagers, forOwners } from "../../permissions";
import { done, notThere, show } from "../../responses";
import { countsOf, extras } from "../pages";
import { gone, refuse, testNotice } from "./responses";

/**
 * `/dashboard/storage/nodes`: the storage nodes, their space and their health checks. Managers can look; owners can
 * change them, because an endpoint may point to any machine that the service can reach.
 */
export const storageNodesDashboard = (deps: Deps) =>
  pages(path, deps, forManagers)
    .get("/", ({ request }) => showAll(deps, request))
    .get("/:id", ({ request, params: { id } }) => showOne(deps, request, id));

export const storageNodeActions = (deps: Deps) =>
  pages(path, deps, forOwners(changeNodes))
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

async function test(deps: Deps, request: Request, id: string) {
  const node = await deps.storage.nodes.find(id);
  if (!node) return refuse(request, node);
  const notice = await testNotice(deps.storage.nodes, node);
  return doneWith(deps, request, id, () => notice);
}

async function drain(deps: Deps, request: Request, id: string) {
  await nodeEdits.drain(deps.db, id, actorOf(request), deps.now());
  return doneWith(
    deps,
    request,
    id,
    does("no longer takes new uploads. Uploads in progress continue, and its files stay available."),
  );
}

async function activate(deps: Deps, request: Request, id: string) {
  await nodeEdits.activate(deps.db, id, actorOf(request), deps.now());
  return doneWith(deps, request, id, does("takes uploads again."));
}

/** Returns to where the action was started, the node's page or the list, with the node's current state. */
async function doneWith(deps: Deps, request: Request, id: string, noticeOf: (node: NodeView) => Notice) {
  const [frame, node] = await Promise.all([frameOf(deps, request), deps.storage.nodes.find(id)]);
  if (!node) return refuse(request, node);
  const own = `${path}/${id}`;
  const isOwn = dashboardPath(request.headers.get("hx-current-url") ?? request.headers.get("referer")) === own;
  const list = isOwn ? await detailsOf(deps, frame, node) : await listOf(deps, frame);
  const title = isOwn ? `${node.name} · Storage nodes` : "Storage nodes";
  return done(request, { frame, title, list, back: isOwn ? own : path, notice: noticeOf(node) });
}

/** Says what the node does now, or that it is disabled and therefore did not change. */
const does =
  (what: string) =>
  ({ name, state }: NodeView): Notice =>
    state === "down"
      ? { kind: "bad", text: `${name} is disabled and cannot be changed here.` }
      : { kind: "good", text: `${name} ${what}` };

async function listOf(deps: Deps, frame: Frame) {
  const [all, returns] = await Promise.all([
    deps.storage.nodes.list(),
    nodeEdits.lastResumed(deps.db, new Date(deps.now().getTime() - dayMs)),
  ]);
  const items = await Promise.all(
    all.map(async (node) => {
      return { node, problem: worstOf(await deps.storage.nodes.capabilities(node)), backAt: returns.get(node.id) };
    }),
  );
  return <NodeList items={items} frame={frame} />;
}

async function detailsOf(deps: Deps, frame: Frame, node: NodeView) {
  const [holds, events, capabilities] = await Promise.all([
    nodeEdits.contentsOf(deps.db, node.id),
    nodeEdits.history(deps.db, node.id),
    deps.storage.nodes.capabilities(node),
  ]);
  return <NodeDetails frame={frame} node={node} holds={holds} events={events} capabilities={capabilities} />;
}

/** What keeps uploads from working, or else what does not work fully. */
function worstOf(capabilities: Capability[]): Problem | undefined {
  const wrong = capabilities.flatMap(({ state, fix }) =>
    fix && (state === "broken" || state === "flawed") ? [{ state, text: fix.problem }] : [],
  );
  return wrong.find(({ state }) => state === "broken") ?? wrong[0];
}
