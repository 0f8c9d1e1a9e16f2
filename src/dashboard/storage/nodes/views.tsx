import * as nodeEdits from "../../../../db/storage/nodes/edit";
import type { Frame } from "../../../../views/components/frame";
import { NodeDetails } from "../../../../views/dashboard/storage/nodes/node";
import { NodeList, type Problem } from "../../../../views/dashboard/storage/nodes/nodes";
import type { Deps } from "../../deps";
import type { Capability } from "../../../storage/nodes/capabilities";
import type { NodeView } from "../../../storage/nodes/nodes";

const day = 86_400_000;

export async function listOf(deps: Deps, frame: Frame) {
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

export async function detailsOf(deps: Deps, frame: Frame, node: NodeView) {
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
