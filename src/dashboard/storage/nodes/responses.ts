import type { Notice } from "../../../../views/components/frame";
import type { FieldError } from "../../../../views/components/forms/field-errors";
import type { Deps } from "../../deps";
import type { NewNode, NodeView } from "../../../storage/nodes/nodes";
import type { Probed } from "../../../storage/nodes/probe";
import { seeOther } from "../../responses";
import { nodesPath } from "../../../../views/dashboard/storage/nodes/nodes";

const probeTimeoutMs = 7_000; // for which a page waits for a probe; its result is stored even if it is late

/** The result of a node's probe, as far as it is known when the page has to respond. */
export async function testNotice(nodes: { test(node: NodeView): Promise<Probed> }, node: NodeView): Promise<Notice> {
  const probe = await Promise.race([nodes.test(node), Bun.sleep(probeTimeoutMs)]);
  if (!probe) return { kind: "bad", text: `${node.name} is slow to respond. The results will appear here.` };
  if (probe.error) return { kind: "bad", text: `${node.name} failed a health check. See the fix below.` };
  return passedNotice(node);
}

export const passedNotice = ({ name }: { name: string }): Notice => ({
  kind: "good",
  text: `${name} passed all health checks.`,
});

type Nodes = Pick<Deps["storage"]["nodes"], "tryOut" | "capabilities">;
const wrongKeys = ["SignatureDoesNotMatch", "InvalidAccessKeyId"];

/** The result of probing a node that has not been added yet; what keeps it from working is an error of the form. */
export async function tryOut(nodes: Nodes, node: NewNode): Promise<{ probe?: Probed; problem?: FieldError }> {
  const probe = await Promise.race([nodes.tryOut(node), Bun.sleep(probeTimeoutMs)]);
  if (!probe) return { problem: { field: "endpoint", message: "The node is slow to respond. Try again." } };
  if (!probe.error) return { probe };
  const all = await nodes.capabilities({ ...node, kind: "managed", probe: probe.findings });
  const { fix, found: code = "" } = all.find(({ state }) => state === "broken") ?? {};
  const words = fix?.problem ?? probe.error; // what to do about it is in this form
  const field = wrongKeys.includes(code) ? "secretKey" : "endpoint";
  return { problem: { field, message: `failed a health check: ${words.replace(/\.$/, "")}` } };
}

export const gone = "This node has been removed.";

/** Rejects changes to a node that no longer exists, or that the configuration manages. */
export const refuse = (request: Request, node: NodeView | undefined) =>
  seeOther(request, node ? `${nodesPath}/${node.id}` : nodesPath, {
    kind: "bad",
    text: node ? `${node.name} is configured on the server and cannot be changed here.` : gone,
  });
