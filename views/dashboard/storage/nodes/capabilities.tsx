import type { Frame } from "../../../components/frame";
import { LastCheck, type NodeShown } from "./last-check";
import { wasTested } from "./state";
import { NodeActions } from "./actions";
import { CapabilityLine, type CapabilityShown } from "./capability-line";

type Props = { node: NodeShown; capabilities: CapabilityShown[]; frame: Frame };

/** The health check of a node, and how to fix what fails. */
export const Capabilities = ({ node, capabilities, frame }: Props) => (
  <section class="card" aria-labelledby="capabilities">
    <header>
      <h2 id="capabilities">Health checks</h2>
      <NodeActions node={node} frame={frame} />
    </header>
    <div class="body">
      <LastCheck node={node} frame={frame} />
      {wasTested(node) && (
        <ul class="capabilities">
          {capabilities.map((capability, at) => (
            <CapabilityLine {...capability} at={at} />
          ))}
        </ul>
      )}
    </div>
  </section>
);
