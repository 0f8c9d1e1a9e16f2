import { Badge } from "../../../components/badge";

/** What a node's status and space are derived from. */
export type NodeFacts = {
  state: "active" | "draining" | "down";
  downUntil: Date | null;
  checkedAt: Date | null;
  checkError: string | null;
  capacityBytes: number;
  usedBytes: number;
  reservedBytes: number;
  /** What uploads may still use, as far as is known. */
  freeBytes: number;
  /** It rejected an upload for lack of space, and gets none of that size or larger. */
  fullSince: Date | null;
  refusedBytes: number | null;
  probe: Record<string, string> | null;
};

type State = { tone: "good" | "warn" | "bad" | "off"; words: string };

const slow = 500; // milliseconds for one small call

/** The duration of one small call, as measured by the last probe. */
export const latencyOf = ({ probe }: Pick<NodeFacts, "probe">) => Number(probe?.milliseconds ?? 0);

/** Whether a probe has ever run: until then, nothing is known about the node. */
export const wasTested = ({ probe }: Pick<NodeFacts, "probe">) => probe !== null;

/** The most important status, the worst first. */
function stateOf(node: NodeFacts, now: Date): State {
  if (node.state === "down") return { tone: "off", words: "Disabled" };
  if (node.downUntil && node.downUntil > now) return { tone: "bad", words: "Offline, retrying" };
  if (node.checkError) return { tone: "bad", words: "Offline" };
  if (node.state === "draining") return { tone: "off", words: "Draining" };
  if (node.fullSince || node.freeBytes === 0) return { tone: "warn", words: "Full" };
  if (node.freeBytes <= node.capacityBytes / 10) return { tone: "warn", words: "Nearly full" };
  if (!wasTested(node)) return { tone: "off", words: "Not tested yet" };
  if (latencyOf(node) > slow) return { tone: "warn", words: "Slow" };
  return { tone: "good", words: "Online" };
}

export const NodeState = ({ node, now }: { node: NodeFacts; now: Date }) => {
  const { tone, words } = stateOf(node, now);
  return <Badge tone={tone}>{words}</Badge>;
};
