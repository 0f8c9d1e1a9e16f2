import { bytes } from "../../../components/bytes";
import { Icon } from "../../../components/icon";
import { paths } from "../../../paths";
import type { NodeShown } from "./last-check";
import { NodeState } from "./state";
import { SpaceBar } from "./used-space";

type Props = { nodes: NodeShown[]; now: Date };

/** The nodes at a glance, above the files: a line for each, with a link. */
export const NodesSummary = ({ nodes, now }: Props) => (
  <div class="nodes-summary" id="nodes-summary">
    {nodes.length === 0 ? (
      <div class="note">
        <Icon name="triangle-alert" />
        <p>No storage node is connected, so uploads are not possible.</p>
        <a href={paths.nodes}>Add node</a>
      </div>
    ) : (
      <ul aria-label="Storage nodes">
        {nodes.map((node) => (
          <li>
            <a href={`${paths.nodes}/${node.id}`}>{node.name}</a>
            <NodeState node={node} now={now} />
            <SpaceBar node={node} />
            <span>
              {bytes(node.usedBytes)} used, {bytes(node.freeBytes)} free
            </span>
          </li>
        ))}
      </ul>
    )}
  </div>
);

/** Sent with the list of files, because an upload changes both. */
export const FreshNodes = (props: Props) => (
  <hx-partial hx-target="#nodes-summary" hx-swap="outerHTML">
    <NodesSummary {...props} />
  </hx-partial>
);
