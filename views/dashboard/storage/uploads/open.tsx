import type { ListedUpload } from "../../../../db/storage/uploads-list";
import { Badge } from "../../../components/badge";
import { bytes } from "../../../components/bytes";
import { Empty } from "../../../components/empty";
import { Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { capitalized, listUrl, type ListView } from "../../../components/list";
import { BulkBar } from "../../../components/lists/bulk";
import { ListHead } from "../../../components/lists/head";
import { Pager } from "../../../components/lists/pager";
import { type Column, ColumnTable, PickCell } from "../../../components/lists/table";
import { spoken, Time } from "../../../components/time";
import { RowLink } from "../../../components/lists/row-actions";
import { paths } from "../../../paths";
import { Head } from "../../shell";
import { type StorageCounts, StorageTabs } from "../frame";

const words: Partial<Record<ListedUpload["upload"]["state"], string>> = {
  pending: "Starting",
  completing: "Finishing",
  aborting: "Cancelling",
};

function Progress({ upload }: Pick<ListedUpload, "upload">) {
  const { id, filename, size, received, state, verifyingSince } = upload;
  const share = size > 0 ? Math.min(100, Math.floor((received / size) * 100)) : 0;
  const isVerifying = state === "completing" && verifyingSince !== null;
  const word =
    (isVerifying ? "Being verified" : words[state]) ??
    (received > 0 ? `${share}% · ${bytes(received)}` : "No data received yet");
  return (
    <>
      <progress max="100" value={String(share)} aria-label={`Progress of ${filename}`} id={`progress-${id}`} />
      <span class="sub">{word}</span>
    </>
  );
}

/** When its space is freed if nothing more arrives. */
const Expiry = ({ upload: { holdUntil }, frame }: Pick<ListedUpload, "upload"> & { frame: Frame }) =>
  holdUntil <= frame.now ? (
    <span class="none">Expired</span>
  ) : (
    <>
      <span class="on-card">expires </span>
      <time datetime={holdUntil.toISOString()}>{spoken(holdUntil, frame)}</time>
    </>
  );

type RowProps = { row: ListedUpload };

const mayAbort = ({ upload: { state } }: ListedUpload) => state === "open" || state === "pending";

const FileName = ({ row: { upload, folder } }: RowProps) => (
  <>
    <span class="who">{upload.filename}</span>
    <span class="sub">
      {folder || "All files"} · {bytes(upload.size)}
    </span>
  </>
);

const StartedBy = ({ row: { manager, key } }: RowProps) => (
  <>
    <span class="who-by">{manager ?? key ?? "Removed manager"}</span>
    {key && <span class="sub">API key</span>}
  </>
);

const Abort = ({ row: { upload } }: RowProps) => {
  const { id, filename } = upload;
  const abort = listUrl({ path: `${paths.openUploads}/abort`, query: {} }, { ids: id });
  return <RowLink id={`abort-${id}`} href={abort} label="Cancel" of={`the upload of ${filename}`} />;
};

/** An upload in progress, or one that came to nothing. */
const columnsOf = (frame: Frame, isEnded: boolean): Column<ListedUpload>[] => [
  { title: "File", kind: "main", cell: (row) => <FileName row={row} /> },
  {
    title: "Progress",
    kind: "progress",
    cell: ({ upload }) =>
      isEnded ? <Badge tone="off">{outcomeOf(upload.outcome)}</Badge> : <Progress upload={upload} />,
  },
  { title: "Node", kind: "extra", cell: ({ node }) => node },
  { title: "Started by", kind: "extra", cell: (row) => <StartedBy row={row} /> },
  {
    title: isEnded ? "Started" : "Expires",
    kind: "when",
    cell: ({ upload }) =>
      isEnded ? <Time at={upload.createdAt} clock={frame} /> : <Expiry upload={upload} frame={frame} />,
  },
];

const outcomes: Record<string, string> = {
  expired: "Expired",
  vanished: "Lost by the node",
  refused: "Rejected by the node",
  failed: "Not accepted by the node",
  "no answer": "Node did not respond",
  "never opened": "Not started",
  "larger than reserved": "Too large",
  "another size": "Wrong size",
  damaged: "Did not arrive completely",
};
const outcomeOf = (outcome: string | null) => (outcome && outcomes[outcome]) || capitalized(outcome ?? "Not completed");

type OpenUploadsView = ListView<ListedUpload> & {
  view: "" | "mine" | "api" | "ended";
  counts: { open: number; mine: number; api: number };
};

const UploadTable = ({ frame, state, view, rows, page, per, total }: OpenUploadsView) => (
  <>
    <Form action={`${paths.openUploads}/abort`} token={frame.token} label="Uploads">
      <ColumnTable
        caption="Uploads"
        columns={columnsOf(frame, view === "ended")}
        rows={rows}
        rowId={({ upload }) => `upload-${upload.id}`}
        {...(view !== "ended" && inProgress)}
      />
      {view !== "ended" && (
        <BulkBar total={rows.length} visible={rows.length} state={state}>
          <button type="submit" class="btn sm">
            Cancel…
          </button>
        </BulkBar>
      )}
    </Form>
    <Pager state={state} page={page} per={per} total={total} />
  </>
);

/** What can be done about an upload in progress. */
const inProgress = {
  pick: (row: ListedUpload) => <PickCell id={row.upload.id} name={mayAbort(row) ? row.upload.filename : null} />,
  actions: (row: ListedUpload) => mayAbort(row) && <Abort row={row} />,
};

export const OpenUploadsHead = ({ frame, counts }: { frame: Frame; counts: StorageCounts }) => (
  <>
    <Head
      title="Open uploads"
      lead="Files that are still being uploaded, here or by a program, and the space kept for them."
    />
    <StorageTabs frame={frame} here={paths.openUploads} counts={counts} />
  </>
);

/** The list, which reloads every five seconds while it is visible and nothing is selected. */
export const OpenUploadList = (view: OpenUploadsView) => {
  const { state, rows, counts } = view;
  return (
    <section
      class="list files"
      id="list"
      aria-label="Open uploads"
      data-poll={listUrl(state, { page: state.query.page ?? "" })}
      data-topic="uploads"
    >
      <ListHead
        view={view}
        noun="upload"
        segments={{
          name: "view",
          label: "Uploads",
          options: [
            { value: "", label: "All", count: counts.open },
            { value: "mine", label: "Mine", count: counts.mine },
            { value: "api", label: "API", count: counts.api },
            { value: "ended", label: "Not completed" },
          ],
        }}
      />
      {rows.length ? <UploadTable {...view} /> : <NoUploads view={view.view} />}
    </section>
  );
};

const NoUploads = ({ view }: Pick<OpenUploadsView, "view">) => (
  <div class="table-frame">
    <Empty drawing="parcels" title={view === "ended" ? "No incomplete uploads" : "No open uploads"}>
      <p>
        {view === "ended"
          ? "Uploads that expired or were cancelled appear here."
          : "Uploads from this dashboard and the API appear here until they are complete."}
      </p>
    </Empty>
  </div>
);
