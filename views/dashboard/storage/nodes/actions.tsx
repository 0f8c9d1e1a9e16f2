import { Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { type NodeShown, nodesPath } from "./last-check";
import { OwnersNote } from "../../owners-note";

export const changeNodes = "add, change or test storage nodes";

/** Explains to managers why there are no buttons. */
export const NodesForOwners = ({ frame }: { frame: Frame }) =>
  frame.manager.role === "owner" ? null : <OwnersNote what={changeNodes} />;

/** An owner's actions on a node; `done` says which part to show afterwards. */
export const NodeActions = ({ node, frame }: { node: NodeShown; frame: Frame }) =>
  frame.manager.role === "owner" ? (
    <div class="row">
      <Form action={`${nodesPath}/${node.id}/test`} token={frame.token}>
        <button type="submit" class="btn sm" id={`test-${node.id}`} aria-label={`Test now: ${node.name}`}>
          <Icon name="refresh-cw" />
          Test now
        </button>
      </Form>
      {node.state !== "down" && <DrainForm node={node} frame={frame} />}
    </div>
  ) : null;

const DrainForm = ({ node, frame }: { node: NodeShown; frame: Frame }) => {
  const verb = node.state === "draining" ? "activate" : "drain";
  return (
    <Form action={`${nodesPath}/${node.id}/${verb}`} token={frame.token}>
      <button
        type="submit"
        class="btn quiet sm"
        id={`drain-${node.id}`}
        aria-label={`${verb === "drain" ? "Drain" : "Resume uploads"}: ${node.name}`}
      >
        {verb === "drain" ? "Drain" : "Resume uploads"}
      </button>
    </Form>
  );
};
