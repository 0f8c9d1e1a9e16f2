import type { StoredFile } from "../../../db/storage/files";
import type { ListedFolder } from "../../../db/storage/folders";
import { BulkButtons, BulkForm } from "../../components/lists/bulk";
import type { ListView } from "../../components/list";
import { ActionsHeader, PickAll, SortHeader, Table } from "../../components/lists/table";
import { FileRow } from "./rows";
import { FolderRow } from "./folder-row";

export type FilesView = ListView<StoredFile> & { folder: string; folders: ListedFolder[] };

const actions = [
  ["download", "Download…"],
  ["move", "Move…"],
  ["trash", "Delete…"],
] as const;

export const FileTable = (view: FilesView) => (
  <BulkForm view={view} action={`${view.state.path}/bulk`} label="Files" buttons={<BulkButtons of={actions} />}>
    <Table
      caption="Folders and files"
      head={
        <>
          <PickAll />
          <SortHeader state={view.state} by="name" initial="name">
            Name
          </SortHeader>
          <SortHeader state={view.state} by="size" initial="name">
            Size
          </SortHeader>
          <SortHeader state={view.state} by="type" initial="name">
            Type
          </SortHeader>
          <th scope="col">Node</th>
          <SortHeader state={view.state} by="modified" initial="name">
            Modified
          </SortHeader>
          <ActionsHeader />
        </>
      }
    >
      {view.folders.map((folder) => (
        <FolderRow folder={folder} isFound={Boolean(view.state.query.q)} />
      ))}
      {view.rows.map((file) => (
        <FileRow file={file} frame={view.frame} isFound={Boolean(view.state.query.q)} />
      ))}
    </Table>
  </BulkForm>
);
