import type { Frame } from "../../../components/frame";
import { Time } from "../../../components/time";
import { paths } from "../../../paths";
import { latencyOf, type NodeFacts, wasTested } from "./state";

/** What people may see of a node; its keys are not included. */
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
/** Where a node comes from, if not from a manager. */
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
