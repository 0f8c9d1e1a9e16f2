import type { ListedUpload } from "../../../db/storage/uploads-list";
import { BulkBar } from "../../components/lists/bulk";
import { Empty } from "../../components/empty";
import { Form } from "../../components/forms/form";
import { type ListView, listUrl } from "../../components/list";
import { ListHead } from "../../components/lists/head";
import { Pager } from "../../components/lists/pager";
import { ActionsHeader, Pick, PickAll, Table } from "../../components/lists/table";
import { Head } from "../shell";
import { type StorageCounts, StorageTabs } from "./frame";
import { paths } from "../../paths";
import { UploadRow } from "./open-row";

type OpenUploadsView = ListView<ListedUpload> & {
  view: "" | "mine" | "api" | "ended";
  counts: { open: number; mine: number; api: number };
};

export const OpenUploadsHead = ({ counts }: { counts: StorageCounts }) => (
  <>
    <Head title="Open uploads" lead="Uploads in progress and the space they reserve." />
    <StorageTabs here={paths.openUploads} counts={counts} />
  </>
);

/** The list, which asks for itself again every five seconds while somebody looks at it and nothing is chosen. */
export const OpenUploadList = (view: OpenUploadsView) => {
  const { state, rows, counts } = view;
  return (
    <section
      class="list files"
      id="list"
      aria-label="Open uploads"
      data-poll={listUrl(state, { page: state.query.page ?? "" })}
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

const UploadTable = ({ frame, state, view, rows, page, per, total }: OpenUploadsView) => (
  <>
    <Form action={`${paths.openUploads}/abort`} token={frame.token} label="Uploads">
      <Table
        caption="Uploads"
        head={
          <>
            {view !== "ended" && <PickAll />}
            <th scope="col">File</th>
            <th scope="col">Progress</th>
            <th scope="col">Node</th>
            <th scope="col">Started by</th>
            <th scope="col">{view === "ended" ? "Started" : "Expires"}</th>
            {view !== "ended" && <ActionsHeader />}
          </>
        }
      >
        {rows.map((row) => (
          <UploadRow row={row} frame={frame} isEnded={view === "ended"} />
        ))}
      </Table>
      {view !== "ended" && (
        <BulkBar total={rows.length} shown={rows.length} state={state}>
          <button type="submit" class="btn sm">
            Cancel…
          </button>
        </BulkBar>
      )}
    </Form>
    <Pager state={state} page={page} per={per} total={total} />
  </>
);

const NoUploads = ({ view }: Pick<OpenUploadsView, "view">) => (
  <div class="table-frame">
    <Empty icon="upload" title={view === "ended" ? "No incomplete uploads" : "No open uploads"}>
      <p>
        {view === "ended"
          ? "Uploads that expired or were cancelled appear here."
          : "Uploads from this dashboard and the API appear here until they are complete."}
      </p>
    </Empty>
  </div>
);
