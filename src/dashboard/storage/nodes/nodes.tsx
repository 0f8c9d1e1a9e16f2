import { dayMs } from "../../../../db/lib/time";
import * as nodeEdits from "../../../../db/storage/nodes/edit";
import type { FieldError } from "../../../../views/components/forms/field-errors";
import type { Frame, Notice } from "../../../../views/components/frame";
import { NodeDetails, NodeHead } from "../../../../views/dashboard/storage/nodes/node";
import {
  changeNodes,
  NodeList,
  NodesHead,
  nodesPath,
  nodesPath as path,
  type Problem,
} from "../../../../views/dashboard/storage/nodes/nodes";
import { actorOf, dashboardPath } from "../../../security/session";
import type { Capability } from "../../../storage/nodes/capabilities";
import type { NewNode, NodeView } from "../../../storage/nodes/nodes";
import type { Probed } from "../../../storage/nodes/probe";
import type { Deps } from "../../deps";
import { frameOf, pages } from "../../pages";
import { forManagers, forOwners } from "../../permissions";
import { done, notThere, seeOther, show } from "../../responses";
import { countsOf, extras } from "../pages";

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

const probeTimeoutMs = 7_000; // for which a page waits for a probe; its result is stored even if it is late

/** The result of a node's probe, as far as it is known when the page has to respond. */
export async function testNotice(nodes: Pick<Nodes, "test" | "capabilities">, node: NodeView): Promise<Notice> {
  const probe = await Promise.race([nodes.test(node), Bun.sleep(probeTimeoutMs)]);
  if (!probe) return { kind: "bad", text: `${node.name} is slow to respond. The results will appear here.` };
  if (probe.error) return { kind: "bad", text: `${node.name} failed a health check. See the fix below.` };
  return workingNotice(nodes, node, probe);
}

/** For a node on which uploads work, perhaps with limits. */
export async function workingNotice(
  nodes: Pick<Nodes, "capabilities">,
  node: NodeView,
  { findings }: Probed,
): Promise<Notice> {
  const flaw = worstOf(await nodes.capabilities({ ...node, probe: findings }));
  return flaw
    ? { kind: "bad", text: `${node.name} works, but failed a health check. See the fix below.` }
    : { kind: "good", text: `${node.name} passed all health checks.` };
}

type Nodes = Deps["storage"]["nodes"];

/** The result of probing a node that has not been added yet; what keeps it from working is an error of the form. */
export async function tryOut(
  nodes: Pick<Nodes, "tryOut" | "capabilities">,
  node: NewNode,
): Promise<{ probe?: Probed; problem?: FieldError }> {
  const probe = await Promise.race([nodes.tryOut(node), Bun.sleep(probeTimeoutMs)]);
  if (!probe) return { problem: { field: "endpoint", message: "The node is slow to respond. Try again." } };
  if (!probe.error) return { probe };
  const all = await nodes.capabilities({ ...node, kind: "managed", probe: probe.findings });
  const fix = all.find(({ state }) => state === "broken")?.fix;
  const words = fix?.problem ?? probe.error; // what to do about it is in this form
  return {
    problem: { field: fix?.field ?? "endpoint", message: `failed a health check: ${words.replace(/\.$/, "")}` },
  };
}

const gone = "This node has been removed.";

/** Rejects changes to a node that no longer exists, or that the configuration manages. */
export const refuse = (request: Request, node: NodeView | undefined) =>
  seeOther(request, node ? `${nodesPath}/${node.id}` : nodesPath, {
    kind: "bad",
    text: node ? `${node.name} is configured on the server and cannot be changed here.` : gone,
  });
