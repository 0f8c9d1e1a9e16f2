import type { StoredFile } from "../../../db/storage/files";
import type { ListedFolder } from "../../../db/storage/folders";
import { bytes } from "../../components/bytes";
import { DialogLink } from "../../components/buttons";
import { Empty, NoMatch } from "../../components/empty";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Help } from "../../components/help";
import { Icon } from "../../components/icon";
import { listUrl, type ListState, type ListView, plural } from "../../components/list";
import { BulkButtons, BulkForm } from "../../components/lists/bulk";
import { ListHead } from "../../components/lists/head";
import type { Filter } from "../../components/lists/search";
import { ActionsHeader, Pick, PickAll, SortHeader, Table } from "../../components/lists/table";
import { Menu, MenuLink } from "../../components/lists/row-actions";
import { Time } from "../../components/time";
import { paths } from "../../paths";
import { Head } from "../shell";
import { essence, KindIcon, kindNames, kindOf, typeName } from "./file-kind";
import { Crumbs, folderUrl, type StorageCounts, StorageTabs } from "./frame";
import { type NodeShown, NodesSummary } from "./nodes/nodes";
import { UploadButton, Uploader } from "./uploads/uploader";

/** Further actions of a row, in a menu that also works without JavaScript. */
const RowMenu = ({ file: { id, filename } }: { file: { id: string; filename: string } }) => (
  <Menu id={id} label={`More actions for ${filename}`}>
    <Item id={id} action="link" icon="link" label="Copy link" />
    <Item id={id} action="rename" icon="pencil" label="Rename" />
    <Item id={id} action="move" icon="folder-input" label="Move" />
    <button type="submit" class="btn quiet" formaction={`${paths.file(id)}/trash`} data-hotkey="#">
      <Icon name="trash-2" />
      Delete
    </button>
  </Menu>
);

type ItemProps = { id: string; action: string; icon: string; label: string };

/** As short as it can be, because each file has three: the page’s own links open it. */
const Item = ({ id, action, icon, label }: ItemProps) => (
  <a class="btn quiet" href={`${paths.file(id)}/${action}`} hx-target="#dialog">
    <Icon name={icon} />
    {label}
  </a>
);

const above = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")));

export const Place = ({ folder }: { folder: string }) => <span class="sub">in {folder || "All files"}</span>;

const FileRow = ({ file, frame, isFound }: { file: StoredFile; frame: Frame; isFound: boolean }) => (
  <tr role="row">
    <Pick id={file.id} label={file.filename} />
    <td class="main" role="cell">
      <a class="who named" href={paths.file(file.id)} id={`open-${file.id}`}>
        <KindIcon kind={kindOf(file.mimeType)} />
        <span>{file.filename}</span>
      </a>
      {isFound && <Place folder={file.folder} />}
    </td>
    <td class="size" role="cell">
      {bytes(file.size)}
    </td>
    <td class="extra" role="cell">
      <span title={essence(file.mimeType)}>{typeName(file.mimeType)}</span>
    </td>
    <td class="extra" role="cell">
      {file.node}
    </td>
    <td class="when" role="cell">
      <Time at={file.storedAt} clock={frame} />
    </td>
    <td class="acts" role="cell">
      <a
        class="btn quiet sm icon-only"
        href={`${paths.file(file.id)}/download`}
        aria-label={`Download ${file.filename}`}
        title="Download"
      >
        <Icon name="download" />
      </a>
      <RowMenu file={file} />
    </td>
  </tr>
);

const FolderRow = ({ folder: { id, path, files, folders }, isFound }: { folder: ListedFolder; isFound: boolean }) => {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const remove = listUrl({ path: `${paths.folders}/remove`, query: {} }, { path });
  return (
    <tr id={`folder-${id}`} role="row">
      <td class="pick" role="cell" />
      <td class="main" role="cell">
        <a class="who named" href={folderUrl(path)} id={`open-${id}`}>
          <Icon name="folder" />
          <span>{name}</span>
        </a>
        {isFound && <Place folder={above(path)} />}
      </td>
      <td class="size" role="cell">
        {contents(files, folders)}
      </td>
      <td class="extra" role="cell">
        Folder
      </td>
      <td class="extra" role="cell" />
      <td class="when" role="cell" />
      <td class="acts" role="cell">
        {files + folders === 0 && (
          <Menu id={id} label={`Actions for the folder ${name}`}>
            <MenuLink id={`remove-${id}`} href={remove} icon="trash-2" hotkey="#">
              Remove…
            </MenuLink>
          </Menu>
        )}
      </td>
    </tr>
  );
};

const contents = (files: number, folders: number) =>
  [folders && plural(folders, "folder"), files && plural(files, "file")].filter(Boolean).join(", ") || "Empty";

type FilesView = ListView<StoredFile> & { folder: string; folders: ListedFolder[] };

const actions = [
  ["download", "Download…"],
  ["move", "Move…"],
  ["trash", "Delete"],
] as const;

const FileTable = (view: FilesView) => (
  <BulkForm view={view} action={`${view.state.path}/bulk`} label="Files" buttons={<BulkButtons of={actions} />}>
    <Table
      caption="Folders and files"
      head={
        <>
          <PickAll />
          <SortHeader state={view.state} by="name">
            Name
          </SortHeader>
          <SortHeader state={view.state} by="size">
            Size
          </SortHeader>
          <SortHeader state={view.state} by="type">
            Type
          </SortHeader>
          <th scope="col">Node</th>
          <SortHeader state={view.state} by="modified">
            Modified
          </SortHeader>
          <ActionsHeader />
        </>
      }
    >
      {view.folders.map((folder) => (
        <FolderRow folder={folder} isFound={isSearch(view.state)} />
      ))}
      {view.rows.map((file) => (
        <FileRow file={file} frame={view.frame} isFound={isSearch(view.state)} />
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
            Remove folder
          </button>
        </Form>
      </Empty>
    ) : (
      <Empty drawing="parcels" title="No files yet">
        <p>
          Files you upload appear here. Drop them on this page, or{" "}
          <a href="/docs/uploads#createUpload">upload from a program</a> with an API key.
        </p>
      </Empty>
    )}
  </div>
);

/** Whether files of subfolders are listed, too: by name, type or use. */
const isSearch = ({ query: { q, kind, use } }: ListState) => Boolean(q || kind || use);

/** The contents of a folder: folders first, then files. For a search, what was found and where. */
export const FileList = (view: FilesView) => {
  const { state, folder, folders, rows } = view;
  const isFirst = !rows.length && !folders.length && !folder && !isSearch(state);
  return (
    <section class="list files" id="list" aria-label="Files" data-folder={folder}>
      {folder && <Crumbs folder={folder} />}
      <ListHead
        view={view}
        noun="file"
        count={folders.length > 0 ? contentsOf(view) : undefined}
        search={isFirst ? undefined : searchIn(folder)}
      />
      {rows.length || folders.length ? (
        <FileTable {...view} />
      ) : isSearch(state) ? (
        <NoMatch what="files" query={state.query.q} clear={folderUrl(folder)} />
      ) : (
        <NothingHere folder={folder} frame={view.frame} />
      )}
    </section>
  );
};

/** "1 folder, 2 files": what the rows are. */
const contentsOf = ({ folders, total }: FilesView) =>
  [plural(folders.length, "folder"), total > 0 && plural(total, "file")].filter(Boolean).join(", ");

const searchIn = (folder: string) => ({
  label: "Search for files",
  placeholder: folder ? "Search this folder" : "Search files",
  filters: filtersIn(folder),
});

export const useNames: [string, string][] = [
  ["used", "In use"],
  ["unused", "Not in use"],
];

const filtersIn = (folder: string): Filter[] => [
  {
    name: "where",
    label: "Search in",
    all: "This folder",
    options: folder ? [["everywhere", "All folders"]] : [],
  },
  { name: "kind", label: "Type", all: "All types", options: Object.entries(kindNames) },
  { name: "use", label: "Use", all: "Any use", options: useNames },
];

type HeadProps = { frame: Frame; folder: string; counts: StorageCounts; nodes: NodeShown[] };

export const StorageHead = ({ frame, folder, counts, nodes }: HeadProps) => (
  <>
    <Head
      title="Storage"
      lead={
        <>
          Files upload directly from your browser to the storage node. <Help of="nodes" />
        </>
      }
    >
      <NewFolder folder={folder} />
      <UploadButton />
    </Head>
    <StorageTabs frame={frame} here={paths.storage} counts={counts} />
    <div class="take-in">
      <Uploader />
      <NodesSummary nodes={nodes} frame={frame} />
    </div>
  </>
);

/** Sent with the list, so that a new folder is created in the folder that is shown. */
export const NewFolder = ({ folder }: { folder: string }) => {
  const href = listUrl({ path: `${paths.folders}/new`, query: {} }, { in: folder });
  return (
    <DialogLink id="new-folder" href={href} icon="folder-plus">
      New folder
    </DialogLink>
  );
};
