import type { AuditEvent } from "../../../../db/audit";
import { bytes } from "../../../components/bytes";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { plural } from "../../../components/list";
import { Time } from "../../../components/time";
import { Actor, AuditText } from "../../audit-sentence";
import { NodeState, Room, nodesPath, type NodeShown, Origin } from "./state";
import { Crumb, Head } from "../../shell";
import { paths } from "../../../paths";
import { NodesForOwners } from "./actions";
import { Capabilities, type CapabilityShown } from "./capabilities";

type View = {
  frame: Frame;
  node: NodeShown;
  capabilities: CapabilityShown[];
  holds: { files: number; uploads: number };
  events: AuditEvent[];
};

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

/** Everything about one node: its room, what it can do and what it cannot, what happened to it. */
export const NodeDetails = (view: View) => (
  <section class="stack wide" id="list" aria-label="Node details">
    <div class="columns node-page">
      <Place {...view} />
      <History {...view} />
    </div>
    <Capabilities {...view} />
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
        <Room node={node} />
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
  <section class="card" aria-labelledby="history-title">
    <header>
      <h2 id="history-title">Node history</h2>
      <a href={`${paths.audit}?action=storage-node`}>Audit log</a>
    </header>
    {events.length === 0 && <p class="body muted">Changes, pauses and recoveries of this node appear here.</p>}
    <ul class="latest">
      {events.map((event) => (
        <li>
          <span class="wrap">
            <Actor actor={event.actor} names={frame.names} /> <AuditText event={event} />
          </span>
          <Time at={event.createdAt} clock={frame} />
        </li>
      ))}
    </ul>
  </section>
);
