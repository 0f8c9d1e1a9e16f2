import * as nodeEdits from "../../../../db/storage/nodes/edit";
import { Confirm } from "../../../../views/components/confirm";
import { nodesPath as path } from "../../../../views/dashboard/storage/nodes/nodes";
import type { Deps } from "../../deps";
import { actorOf } from "../../../security/session/session";
import type { NodeView } from "../../../storage/nodes/nodes";
import { ask, seeOther } from "../../responses";
import { frameOf } from "../../pages";
import { notEmpty } from "./refusals";

export async function askRemoval(deps: Deps, request: Request, node: NodeView) {
  const [frame, holds] = await Promise.all([frameOf(deps, request), nodeEdits.contentsOf(deps.db, node.id)]);
  if (holds.files || holds.uploads) return seeOther(request, `${path}/${node.id}`, notEmpty(node, holds));
  const children = (
    <Confirm frame={frame} action={`${path}/${node.id}/remove`} verb="Remove node" cancel={`${path}/${node.id}`}>
      <p>The node is empty. Its credentials will be deleted; the bucket and server are not changed.</p>
    </Confirm>
  );
  return ask(request, { frame, title: `Remove “${node.name}”?`, children });
}

export async function remove(deps: Deps, request: Request, node: NodeView) {
  const removed = await nodeEdits.remove(deps.db, node.id, actorOf(request), deps.now());
  if (removed.outcome === "not-empty") return seeOther(request, `${path}/${node.id}`, notEmpty(node, removed));
  return seeOther(request, path, { kind: "good", text: `Storage node “${node.name}” removed.` });
}
