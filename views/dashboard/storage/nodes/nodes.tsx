import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { EmptyList, plural } from "../../../components/list";
import { Announcement } from "../../../components/lists/head";
import { Head } from "../../shell";
import { type StorageCounts, StorageTabs } from "../frame";
import { nodesPath } from "./last-check";
import { NodesForOwners } from "./actions";
import { NodeCard, type NodeItem } from "./card";

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
      {frame.manager.role === "owner" && (
        <a class="btn" id="first-node" href={`${nodesPath}/new`}>
          Add your first node
        </a>
      )}
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
