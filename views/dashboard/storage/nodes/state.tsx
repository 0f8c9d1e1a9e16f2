import { Badge } from "../../../components/badge";
import { bytes } from "../../../components/bytes";
import type { Frame } from "../../../components/frame";
import { Time } from "../../../components/time";
import { paths } from "../../../paths";

/** What a node's state and room are read from. */
type NodeFacts = {
  state: "active" | "draining" | "down";
  downUntil: Date | null;
  checkedAt: Date | null;
  checkError: string | null;
  capacityBytes: number;
  usedBytes: number;
  reservedBytes: number;
  /** What uploads may still fill, as far as anybody knows. */
  freeBytes: number;
  /** It refused an upload for want of room, and from so many bytes on it is given none. */
  fullSince: Date | null;
  refusedBytes: number | null;
  probe: Record<string, string> | null;
};

type State = { tone: "good" | "warn" | "bad" | "off"; words: string };

const slow = 500; // milliseconds that one small call took

/** What the last probe measured: one small call. */
const latencyOf = ({ probe }: Pick<NodeFacts, "probe">) => Number(probe?.milliseconds ?? 0);

/** Whether a probe has ever run: until then nothing is known of what the node can do. */
export const wasTested = ({ probe }: Pick<NodeFacts, "probe">) => probe !== null;

/** The one word that matters most, the worst first. */
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

/** How full a node is, for the eye alone. */
export const RoomBar = ({ node: { usedBytes, reservedBytes, capacityBytes } }: { node: NodeFacts }) => {
  const share = (part: number) => (capacityBytes > 0 ? Math.min(100, (part / capacityBytes) * 100) : 0);
  const used = share(usedBytes);
  return (
    <svg class="room-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="held" x={0} y={0} width={used} height={6} />
      <rect class="promised" x={used} y={0} width={Math.min(share(reservedBytes), 100 - used)} height={6} />
    </svg>
  );
};

/** How full a node is: a bar for the eye, and the same in words. */
export const Room = ({ node }: { node: NodeFacts }) => {
  const { usedBytes, reservedBytes, capacityBytes } = node;
  return (
    <div class="room">
      <RoomBar node={node} />
      <p>
        <span class="key held">{bytes(usedBytes)} used</span>
        <span class="key promised">{bytes(reservedBytes)} reserved</span>
        <span class="key">
          {bytes(node.freeBytes)} free of {bytes(capacityBytes)}
        </span>
      </p>
      {node.refusedBytes !== null && (
        <p class="problem flawed">
          {node.refusedBytes > 0 ? `Rejects files of ${bytes(node.refusedBytes)} or more` : "Rejects all files"}: the
          node has no free space. New files go to other nodes until it has space again.
        </p>
      )}
    </div>
  );
};

/** What people see of a node; its keys are not among it. */
export type NodeShown = NodeFacts & {
  id: string;
  name: string;
  kind: "environment" | "embedded" | "managed";
  endpoint: string;
  publicEndpoint: string;
  region: string;
  bucket: string;
  largestPut: number;
  staleUploadHours: number;
};

export const nodesPath = paths.nodes;
/** Where a node comes from, when it is not a manager who added it. */
export const Origin = ({ kind }: Pick<NodeShown, "kind">) =>
  kind === "managed" ? null : (
    <span class="origin">
      {kind === "environment" ? (
        <>
          Configured by the <code>MINIO_*</code> variables
        </>
      ) : (
        "Built-in storage, for development"
      )}
    </span>
  );

export const LastCheck = ({ node, frame }: { node: NodeShown; frame: Frame }) => (
  <p class="hint">
    {node.checkedAt && wasTested(node) ? (
      <>
        Checked <Time at={node.checkedAt} clock={frame} />
        {latencyOf(node) > 0 && `, ${latencyOf(node)} ms per request`}
      </>
    ) : (
      "Not tested yet"
    )}
  </p>
);
