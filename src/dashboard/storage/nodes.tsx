import * as nodeEdits from "../../../db/storage/nodes-edit";
import type { Frame, Notice } from "../../../views/components/frame";
import { NodeDetails, NodeHead } from "../../../views/dashboard/storage/nodes/node";
import { NodeList, NodesHead, type Problem } from "../../../views/dashboard/storage/nodes/nodes";
import type { Deps } from "../../boot/deps";
import { actorOf, dashboardPath } from "../../security/session";
import type { Capability } from "../../storage/nodes/capabilities";
import type { NodeView } from "../../storage/nodes/nodes";
import { done, notThere, show } from "../responses";
import { ownersOnly } from "../owners-only";
import { frameOf, pages } from "../pages";
import { gone, refuse, tested } from "./node-responses";
import { countsOf, extras } from "./pages";
import { nodesPath as path } from "../../../views/dashboard/storage/nodes/state";
import { changeNodes } from "../../../views/dashboard/storage/nodes/actions";

const day = 86_400_000;

/**
 * `/dashboard/storage/nodes`: where files are kept, how full it is, and what each node can do. Managers look; owners
 * change, because an endpoint may lead to any machine that the service reaches (P75).
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

async function test(deps: Deps, request: Request, id: string) {
  const node = await deps.storage.nodes.find(id);
  if (!node) return refuse(request, node);
  const notice = await tested(deps.storage.nodes, node);
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

async function listOf(deps: Deps, frame: Frame) {
  const [all, returns] = await Promise.all([
    deps.storage.nodes.list(),
    nodeEdits.lastResumed(deps.db, new Date(deps.now().getTime() - day)),
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
  return <NodeDetails {...{ frame, node, holds, events, capabilities }} />;
}

/** Back where the action was started, the node's own page or the list, with the node as it is now. */
async function doneWith(deps: Deps, request: Request, id: string, noticeOf: (node: NodeView) => Notice) {
  const [frame, node] = await Promise.all([frameOf(deps, request), deps.storage.nodes.find(id)]);
  if (!node) return refuse(request, node);
  const own = `${path}/${id}`;
  const isOwn = dashboardPath(request.headers.get("hx-current-url") ?? request.headers.get("referer")) === own;
  const list = isOwn ? await detailsOf(deps, frame, node) : await listOf(deps, frame);
  const title = isOwn ? `${node.name} · Storage nodes` : "Storage nodes";
  return done(request, { frame, title, list, back: isOwn ? own : path, notice: noticeOf(node) });
}

/** What the node does now. One that is out of use is no manager's to change. */
const does =
  (what: string) =>
  ({ name, state }: NodeView): Notice =>
    state === "down"
      ? { kind: "bad", text: `${name} is disabled and cannot be changed here.` }
      : { kind: "good", text: `${name} ${what}` };

/** What keeps uploads from working, or else what they could do better without. */
function worstOf(capabilities: Capability[]): Problem | undefined {
  const wrong = capabilities.flatMap(({ state, fix }) =>
    fix && (state === "broken" || state === "flawed") ? [{ state, text: fix.problem }] : [],
  );
  return wrong.find(({ state }) => state === "broken") ?? wrong[0];
}
