import type { StoredFile } from "../../../db/storage/files";
import type { ListedFolder } from "../../../db/storage/folders";
import { BulkForm, Moves } from "../../components/lists/bulk";
import { Empty, NoMatch } from "../../components/empty";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import type { ListView } from "../../components/list";
import { ListHead } from "../../components/lists/head";
import type { Filter } from "../../components/lists/search";
import { ActionsHeader, PickAll, SortHeader, Table } from "../../components/lists/table";
import { kindNames } from "./file-kind";
import { Crumbs, folderUrl } from "./frame";
import { FileRow, FolderRow } from "./rows";
import { paths } from "../../paths";

type FilesView = ListView<StoredFile> & { folder: string; folders: ListedFolder[] };

/** What lies in a folder: folders first, then files. With a search, what was found and where. */
export const FileList = (view: FilesView) => {
  const { state, folder, folders, rows } = view;
  const { q, kind } = state.query;
  return (
    <section class="list files" id="list" aria-label="Files" data-folder={folder}>
      <Crumbs folder={folder} />
      <ListHead
        view={view}
        noun="file"
        search={{
          label: "Search for files",
          placeholder: folder ? "Search this folder" : "Search files",
          filters: filtersIn(folder),
        }}
      />
      {rows.length || folders.length ? (
        <FileTable {...view} />
      ) : q || kind ? (
        <NoMatch what="files" query={q} clear={folderUrl(folder)} />
      ) : (
        <NothingHere folder={folder} frame={view.frame} />
      )}
    </section>
  );
};

const filtersIn = (folder: string): Filter[] => [
  {
    name: "where",
    label: "Search in",
    all: "This folder",
    options: folder ? [["everywhere", "All folders"]] : [],
  },
  { name: "kind", label: "Type", all: "All types", options: Object.entries(kindNames) },
];

const moves = [
  ["download", "Download…"],
  ["move", "Move…"],
  ["trash", "Delete…"],
] as const;

const FileTable = (view: FilesView) => (
  <BulkForm view={view} action={`${view.state.path}/moves`} label="Files" moves={<Moves of={moves} />}>
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

const NothingHere = ({ folder, frame }: { folder: string; frame: Frame }) => (
  <div class="table-frame">
    {folder ? (
      <Empty icon="folder" title="This folder is empty">
        <p>Drop files here, or remove the folder.</p>
        <Form action={`${paths.folders}/remove`} token={frame.token} plain>
          <input type="hidden" name="path" value={folder} />
          <button type="submit" class="btn">
            Remove folder{" "}
          </button>
        </Form>
      </Empty>
    ) : (
      <Empty icon="hard-drive" title="No files yet">
        <p>Upload files here, or from a program with an API key:</p>
        <pre tabindex="0">{`POST /api/v1/storage/upload`}</pre>
        <a class="btn" href="/docs#postApiV1StorageUpload">
          Read how
        </a>
      </Empty>
    )}
  </div>
);
