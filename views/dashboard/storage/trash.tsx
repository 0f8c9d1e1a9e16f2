import type { StoredFile } from "../../../db/storage/files";
import { BulkButtons, BulkForm } from "../../components/lists/bulk";
import { Empty, NoMatch } from "../../components/empty";
import type { ListView } from "../../components/list";
import { ListHead } from "../../components/lists/head";
import { ActionsHeader, PickAll, Table } from "../../components/lists/table";
import { paths } from "../../paths";
import { Head } from "../shell";
import { type StorageCounts, StorageTabs } from "./frame";
import { TrashRow } from "./trash-row";

type TrashView = ListView<StoredFile>;

export const TrashHead = ({ counts }: { counts: StorageCounts }) => (
  <>
    <Head title="Trash" lead="Deleted files are kept for 30 days and use space until then." />
    <StorageTabs here={paths.trash} counts={counts} />
  </>
);

export const TrashList = (view: TrashView) => {
  const { state, rows } = view;
  return (
    <section class="list files" id="list" aria-label="Deleted files">
      <ListHead
        view={view}
        noun="file"
        search={rows.length || state.query.q ? { label: "Search the trash" } : undefined}
      />
      {rows.length ? (
        <TrashTable {...view} />
      ) : state.query.q ? (
        <NoMatch what="files" query={state.query.q} clear={state.path} />
      ) : (
        <div class="table-frame">
          <Empty icon="trash-2" title="The trash is empty">
            <p>Deleted files are kept here for 30 days.</p>
          </Empty>
        </div>
      )}
    </section>
  );
};

const actions = [
  ["restore", "Restore"],
  ["delete", "Delete now…"],
] as const;

const TrashTable = (view: TrashView) => (
  <BulkForm view={view} action={`${view.state.path}/bulk`} label="Deleted files" buttons={<BulkButtons of={actions} />}>
    <Table
      caption="Deleted files"
      head={
        <>
          <PickAll />
          <th scope="col">Name</th>
          <th scope="col">Size</th>
          <th scope="col">Deleted</th>
          <th scope="col">Deleted permanently</th>
          <ActionsHeader />
        </>
      }
    >
      {view.rows.map((file) => (
        <TrashRow file={file} frame={view.frame} />
      ))}
    </Table>
  </BulkForm>
);
