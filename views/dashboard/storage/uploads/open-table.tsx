import type { ListedUpload } from "../../../../db/storage/uploads-list";
import { BulkBar } from "../../../components/lists/bulk";
import { Form } from "../../../components/forms/form";
import type { ListView } from "../../../components/list";
import { Pager } from "../../../components/lists/pager";
import { ActionsHeader, PickAll, Table } from "../../../components/lists/table";
import { paths } from "../../../paths";
import { UploadRow } from "./open-row";

export type OpenUploadsView = ListView<ListedUpload> & {
  view: "" | "mine" | "api" | "ended";
  counts: { open: number; mine: number; api: number };
};

export const UploadTable = ({ frame, state, view, rows, page, per, total }: OpenUploadsView) => (
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
