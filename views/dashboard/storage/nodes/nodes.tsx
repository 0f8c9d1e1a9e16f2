import { Help, OnTheServer } from "../../../components/help";
import { Badge } from "../../../components/badge";
import { bytes } from "../../../components/bytes";
import { Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { EmptyList, plural } from "../../../components/list";
import { Announcement } from "../../../components/lists/head";
import { Time } from "../../../components/time";
import { paths } from "../../../paths";
import { OwnersNote } from "../../../components/who";
import { CreateLink, Head } from "../../shell";
import { type StorageCounts, StorageTabs } from "../frame";

/** What a node's status and space are derived from. */
type NodeFacts = {
  state: "active" | "draining" | "down";
  downUntil: Date | null;
  checkedAt: Date | null;
  checkError: string | null;
  capacityBytes: number;
  usedBytes: number;
  reservedBytes: number;
  /** The space that uploads may still use, as far as it is known. */
  freeBytes: number;
  /** It rejected an upload for lack of space, and gets none of that size or larger. */
  fullSince: Date | null;
  refusedBytes: number | null;
  probe: Record<string, string> | null;
};

type State = { tone: "good" | "warn" | "bad" | "off"; words: string };

const slow = 500; // milliseconds for one small call

/** The duration of one small call, as measured by the last probe. */
const latencyOf = ({ probe }: Pick<NodeFacts, "probe">) => Number(probe?.milliseconds ?? 0);

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
        <span title="By the MINIO_* variables">Configured on the server</span>
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

/** How full a node is, as a bar that screen readers skip. */
const SpaceBar = ({ node: { usedBytes, reservedBytes, capacityBytes } }: { node: NodeFacts }) => {
  const share = (part: number) => (capacityBytes > 0 ? Math.min(100, (part / capacityBytes) * 100) : 0);
  const used = share(usedBytes);
  return (
    <svg class="space-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="held" x={0} y={0} width={used} height={6} />
      <rect class="promised" x={used} y={0} width={Math.min(share(reservedBytes), 100 - used)} height={6} />
    </svg>
  );
};

/** How full a node is: a bar, and the same in words. */
export const UsedSpace = ({ node, frame }: { node: NodeFacts; frame: Frame }) => {
  const { usedBytes, reservedBytes, capacityBytes, probe } = node;
  const isReported = node.refusedBytes === null && node.freeBytes < capacityBytes - usedBytes - reservedBytes;
  return (
    <div class="space">
      <SpaceBar node={node} />
      <p>
        <span class="key held">{bytes(usedBytes)} used</span>
        <span class="key promised">{bytes(reservedBytes)} reserved</span>
        <span class="key">
          {bytes(node.freeBytes)} free of {bytes(capacityBytes)}
          {isReported && probe?.freeAt && (
            <>
              , reported by the server <Time at={new Date(probe.freeAt)} clock={frame} />
            </>
          )}
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

/** The most serious problem of a node. Broken: uploads do not work. Flawed: they do. */
export type Problem = { state: "broken" | "flawed"; text: string };

/** A node in the list, and when it last resumed. */
type NodeItem = { node: NodeShown; problem?: Problem | undefined; backAt?: Date | undefined };

const NodeCard = ({ node, problem, backAt, frame }: NodeItem & { frame: Frame }) => (
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

export const NodesHead = ({ counts, frame }: { counts: StorageCounts; frame: Frame }) => (
  <>
    <Head
      title="Storage nodes"
      lead={
        <>
          S3 servers that store your files. New uploads go to the node with the most free space. <Help of="nodes" />
        </>
      }
    >
      {frame.manager.role === "owner" && (
        <CreateLink id="add-node" href={`${nodesPath}/new`}>
          Add node
        </CreateLink>
      )}
    </Head>
    <StorageTabs frame={frame} here={nodesPath} counts={counts} />
    <NodesForOwners frame={frame} />
  </>
);

export const NodeList = ({ items, frame }: { items: NodeItem[]; frame: Frame }) =>
  items.length === 0 ? (
    <EmptyList label="Storage nodes" drawing="parcels" title="No storage nodes yet">
      <p>
        Uploads need a storage node. It can be any S3-compatible server, such as MinIO, Ceph, AWS S3, R2 or B2. Add one
        here.
      </p>
      {frame.manager.role === "owner" && (
        <a class="btn" id="first-node" href={`${nodesPath}/new`}>
          Add your first node
        </a>
      )}
      <OnTheServer>
        <p>
          Or set <code>MINIO_ENDPOINT</code> and its keys in the environment of the service.
        </p>
      </OnTheServer>
    </EmptyList>
  ) : (
    <section class="list" id="list" aria-label="Storage nodes">
      <Announcement>{plural(items.length, "node")}</Announcement>
      <ul class="nodes">
        {items.map((item) => (
          <NodeCard {...item} frame={frame} />
        ))}
      </ul>
    </section>
  );

/** The nodes at a glance, above the files: a line for each, with a link. */
export const NodesSummary = ({ nodes, frame }: { nodes: NodeShown[]; frame: Frame }) => (
  <div class="nodes-summary" id="nodes-summary">
    {nodes.length === 0 ? (
      <div class="note">
        <Icon name="triangle-alert" />
        <p>No storage node is connected, so uploads are not possible.</p>
        {frame.may(paths.nodes) && <a href={paths.nodes}>Add node</a>}
      </div>
    ) : (
      <ul aria-label="Storage nodes">
        {nodes.map((node) => (
          <li>
            {frame.may(`${paths.nodes}/${node.id}`) ? <a href={`${paths.nodes}/${node.id}`}>{node.name}</a> : node.name}
            <NodeState node={node} now={frame.now} />
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
export const FreshNodes = (props: Parameters<typeof NodesSummary>[0]) => (
  <hx-partial hx-target="#nodes-summary" hx-swap="outerHTML">
    <NodesSummary {...props} />
  </hx-partial>
);
