import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { listUrl } from "../../components/list";
import { Head } from "../shell";
import { type StorageCounts, StorageTabs } from "./frame";
import { NodesSummary } from "./nodes/summary";
import { UploadButton, Uploader } from "./uploads/uploader";
import { paths } from "../../paths";
import type { NodeShown } from "./nodes/last-check";

type HeadProps = { frame: Frame; folder: string; counts: StorageCounts; nodes: NodeShown[] };

export const StorageHead = ({ frame, folder, counts, nodes }: HeadProps) => (
  <>
    <Head title="Storage" lead="Files upload directly from your browser to the storage node.">
      <NewFolder folder={folder} />
      <UploadButton />
    </Head>
    <StorageTabs here={paths.storage} counts={counts} />
    <Uploader />
    <NodesSummary nodes={nodes} now={frame.now} />
  </>
);

/** Sent with the list, so that a new folder is created in the folder that is shown. */
export const NewFolder = ({ folder }: { folder: string }) => {
  const href = listUrl({ path: `${paths.folders}/new`, query: {} }, { in: folder });
  return (
    <a class="btn" id="new-folder" href={href} hx-get={href} hx-target="#dialog">
      <Icon name="folder-plus" />
      New folder
    </a>
  );
};
