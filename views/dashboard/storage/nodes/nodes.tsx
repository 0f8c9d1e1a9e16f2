import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { EmptyList, plural } from "../../../components/list";
import { Announcement } from "../../../components/lists/head";
import { Time } from "../../../components/time";
import { NodeState, Room, Origin, nodesPath, LastCheck, type NodeShown } from "./state";
import { Head } from "../../shell";
import { type StorageCounts, StorageTabs } from "../frame";
import { NodeActions, NodesForOwners } from "./actions";

/** The gravest thing wrong with a node. Broken: uploads do not work. Flawed: they do. */
export type Problem = { state: "broken" | "flawed"; text: string };

/** A node in the list, and when it last came back from a rest. */
type NodeItem = { node: NodeShown; problem?: Problem | undefined; backAt?: Date | undefined };

export const NodesHead = ({ counts, frame }: { counts: StorageCounts; frame: Frame }) => (
  <>
    <Head
      title="Storage nodes"
      lead="S3 servers that store your files. New uploads go to the node with the most free space."
    >
      {frame.manager.role === "owner" && (
        <a class="btn primary" id="add-node" href={`${nodesPath}/new`}>
          <Icon name="plus" />
          Add node
        </a>
      )}
    </Head>
    <StorageTabs here={nodesPath} counts={counts} />
    <NodesForOwners frame={frame} />
  </>
);

export const NodeList = ({ items, frame }: { items: NodeItem[]; frame: Frame }) =>
  items.length === 0 ? (
    <EmptyList label="Storage nodes" icon="hard-drive" title="No storage nodes yet">
      <p>
        Uploads need a storage node. It can be any S3-compatible server, such as MinIO, Ceph, AWS S3, R2 or B2. Add one
        here, or set <code>MINIO_ENDPOINT</code> and its keys in the environment.
      </p>
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
        <Room node={node} />
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
