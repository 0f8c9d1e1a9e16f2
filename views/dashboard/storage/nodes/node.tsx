import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { Crumb, Head } from "../../shell";
import { type NodeShown, nodesPath, Origin } from "./last-check";
import { NodesForOwners } from "./actions";
import { Capabilities } from "./capabilities";
import type { View } from "./facts";
import { Place } from "./place";
import { History } from "./history";

export const NodeHead = ({ node, frame }: { node: NodeShown; frame: Frame }) => (
  <>
    <Crumb href={nodesPath}>Storage nodes</Crumb>
    <Head title={node.name} lead={<Origin kind={node.kind} />}>
      {node.kind === "managed" && frame.manager.role === "owner" && (
        <>
          <a class="btn" id="edit-node" href={`${nodesPath}/${node.id}/edit`}>
            <Icon name="pencil" />
            Edit
          </a>
          <a
            class="btn quiet"
            id="remove-node"
            href={`${nodesPath}/${node.id}/remove`}
            hx-get={`${nodesPath}/${node.id}/remove`}
            hx-target="#dialog"
          >
            <Icon name="trash-2" />
            Remove
          </a>
        </>
      )}
    </Head>
    <NodesForOwners frame={frame} />
  </>
);

/** Everything about one node: its space, its health check, its history. */
export const NodeDetails = (view: View) => (
  <section class="stack wide" id="list" aria-label="Node details">
    <div class="columns node-page">
      <Place {...view} />
      <History {...view} />
    </div>
    <Capabilities {...view} />
  </section>
);
