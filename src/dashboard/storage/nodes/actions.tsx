import * as nodeEdits from "../../../../db/storage/nodes/edit";
import type { Notice } from "../../../../views/components/frame";
import { nodesPath as path } from "../../../../views/dashboard/storage/nodes/nodes";
import type { Deps } from "../../deps";
import { actorOf } from "../../../security/session/session";
import { dashboardPath } from "../../../security/session/rules";
import type { NodeView } from "../../../storage/nodes/nodes";
import { done } from "../../responses";
import { frameOf } from "../../pages";
import { refuse, tested } from "./responses";
import { detailsOf, listOf } from "./views";

export async function test(deps: Deps, request: Request, id: string) {
  const node = await deps.storage.nodes.find(id);
  if (!node) return refuse(request, node);
  const notice = await tested(deps.storage.nodes, node);
  return doneWith(deps, request, id, () => notice);
}

export async function drain(deps: Deps, request: Request, id: string) {
  await nodeEdits.drain(deps.db, id, actorOf(request), deps.now());
  return doneWith(
    deps,
    request,
    id,
    does("no longer takes new uploads. Uploads in progress continue, and its files stay available."),
  );
}

export async function activate(deps: Deps, request: Request, id: string) {
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

/** What the node does now. Managers cannot change one that is out of use. */
const does =
  (what: string) =>
  ({ name, state }: NodeView): Notice =>
    state === "down"
      ? { kind: "bad", text: `${name} is disabled and cannot be changed here.` }
      : { kind: "good", text: `${name} ${what}` };
