import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { Time } from "../../../components/time";
import { LastCheck, type NodeShown, nodesPath, Origin } from "./last-check";
import { NodeState } from "./state";
import { UsedSpace } from "./used-space";
import { NodeActions } from "./actions";

/** The most serious problem of a node. Broken: uploads do not work. Flawed: they do. */
export type Problem = { state: "broken" | "flawed"; text: string };

/** A node in the list, and when it last resumed. */
export type NodeItem = { node: NodeShown; problem?: Problem | undefined; backAt?: Date | undefined };

export const NodeCard = ({ node, problem, backAt, frame }: NodeItem & { frame: Frame }) => (
  <li class="card node" id={`node-${node.id}`}>
    <header>
      <h2>
        <a href={`${nodesPath}/${node.id}`} id={`open-${node.id}`}>
          {node.name}
        </a>
      </h2>
      <NodeState node={node} now={frame.now} />
    </header>
    <div class="body">
      <div>
        <p class="sub">
          <span class="mono">
            {node.endpoint}/{node.bucket}
          </span>
          <Origin kind={node.kind} />
        </p>
        <UsedSpace node={node} frame={frame} />
        {problem && <ProblemLine node={node} {...problem} />}
        {backAt && (
          <p class="back">
            <Icon name="circle-check" />
            <span>
              Paused after errors. Retrying <Time at={backAt} clock={frame} />.
            </span>
          </p>
        )}
      </div>
      <footer>
        <LastCheck node={node} frame={frame} />
        <NodeActions node={node} frame={frame} />
      </footer>
    </div>
  </li>
);

const ProblemLine = ({ node, state, text }: Problem & { node: NodeShown }) => (
  <p class={`problem ${state}`}>
    <Icon name={state === "broken" ? "circle-alert" : "triangle-alert"} />
    <span>
      {text} <a href={`${nodesPath}/${node.id}#capabilities`}>View fix</a>
    </span>
  </p>
);
