import type { AuditEvent } from "../../../../db/audit";
import { bytes } from "../../../components/bytes";
import { CopyButton, DialogLink } from "../../../components/buttons";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { plural } from "../../../components/list";
import { paths } from "../../../paths";
import { EventsCard } from "../../audit-sentence";
import { Crumb, Head } from "../../shell";
import {
  LastCheck,
  NodeActions,
  NodesForOwners,
  type NodeShown,
  nodesPath,
  NodeState,
  Origin,
  UsedSpace,
  wasTested,
} from "./nodes";

type Fix = { problem: string; action: string; commands?: readonly string[] };
type CapabilityShown = {
  check: string;
  title: string;
  found: string | undefined;
  state: "fine" | "broken" | "flawed" | "unknown";
  fix?: Fix | undefined;
};

const icons = { fine: "check", broken: "x", flawed: "triangle-alert", unknown: "ellipsis" } as const;
const words = { fine: "Passed", broken: "Failed", flawed: "Warning", unknown: "Not tested" } as const;

const CapabilityLine = ({ title, state, fix, at }: CapabilityShown & { at: number }) => (
  <li class={state}>
    <Icon name={icons[state]} />
    <div>
      <p>
        <strong>{title}</strong>
        <span class="answer">{words[state]}</span>
      </p>
      {fix && (
        <div class="fix">
          <p>{fix.problem}</p>
          <p>
            <strong>Fix:</strong> {fix.action}
          </p>
          {fix.commands?.map((command, i) => (
            <div class="commands">
              <pre id={`fix-${at}-${i}`} tabindex="0" aria-label={`Command for: ${title}`}>
                {command}
              </pre>
              <CopyButton from={`fix-${at}-${i}`} class="btn sm" />
            </div>
          ))}
        </div>
      )}
    </div>
  </li>
);

type Props = { node: NodeShown; capabilities: CapabilityShown[]; frame: Frame };

/** The health check of a node, and how to fix what fails. */
const Capabilities = ({ node, capabilities, frame }: Props) => (
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

const Place = ({ node, holds, frame }: View) => (
  <section class="card node" aria-labelledby="place-title">
    <header>
      <h2 id="place-title">Capacity</h2>
      <NodeState node={node} now={frame.now} />
    </header>
    <div class="body">
      <div>
        <UsedSpace node={node} frame={frame} />
        <dl class="facts">
          <dt>Contains</dt>
          <dd>
            {plural(holds.files, "file")}, {plural(holds.uploads, "open upload")}
          </dd>
          <dt>Endpoint</dt>
          <dd class="mono">{node.endpoint}</dd>
          {node.publicEndpoint !== node.endpoint && (
            <>
              <dt>Public endpoint</dt>
              <dd class="mono">{node.publicEndpoint}</dd>
            </>
          )}
          <dt>Bucket</dt>
          <dd>
            <span class="mono">{node.bucket}</span>, region {node.region}
          </dd>
          <dt>Single-upload limit</dt>
          <dd>{bytes(node.largestPut)}; larger files are sent in parts</dd>
          <dt>Unfinished uploads</dt> <dd>kept for {plural(node.staleUploadHours, "hour")}</dd>
        </dl>
      </div>
    </div>
  </section>
);

const History = ({ events, frame }: View) => (
  <EventsCard
    id="history"
    title="Node history"
    href={`${paths.audit}?action=storage-node`}
    empty="Changes, pauses and recoveries of this node appear here."
    events={events}
    frame={frame}
  />
);

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
          <DialogLink class="btn quiet" id="remove-node" href={`${nodesPath}/${node.id}/remove`} icon="trash-2">
            Remove
          </DialogLink>
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

type View = {
  frame: Frame;
  node: NodeShown;
  capabilities: CapabilityShown[];
  holds: { files: number; uploads: number };
  events: AuditEvent[];
};
