import { Empty } from "../../../components/empty";
import { listUrl } from "../../../components/list";
import { ListHead } from "../../../components/lists/head";
import { Pick } from "../../../components/lists/table";
import { paths } from "../../../paths";
import { Head } from "../../shell";
import { type StorageCounts, StorageTabs } from "../frame";
import { type OpenUploadsView, UploadTable } from "./open-table";

export const OpenUploadsHead = ({ counts }: { counts: StorageCounts }) => (
  <>
    <Head title="Open uploads" lead="Uploads in progress and the space they reserve." />
    <StorageTabs here={paths.openUploads} counts={counts} />
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
    <Empty icon="upload" title={view === "ended" ? "No incomplete uploads" : "No open uploads"}>
      <p>
        {view === "ended"
          ? "Uploads that expired or were cancelled appear here."
          : "Uploads from this dashboard and the API appear here until they are complete."}
      </p>
    </Empty>
  </div>
);
