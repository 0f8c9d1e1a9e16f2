import type { StoredFile } from "../../../db/storage/files";
import { Badge } from "../../components/badge";
import { bytes } from "../../components/bytes";
import { EmptyTrash, NoMatch } from "../../components/empty";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import type { ListView } from "../../components/list";
import { BulkButtons, BulkForm } from "../../components/lists/bulk";
import { ListHead } from "../../components/lists/head";
import { type Column, ColumnTable, PickCell } from "../../components/lists/table";
import { date, Time } from "../../components/time";
import { paths } from "../../paths";
import { Head } from "../shell";
import { KindIcon, kindOf } from "./file-kind";
import { type StorageCounts, StorageTabs } from "./frame";

type FileProps = { file: StoredFile; frame: Frame };

const isDue = ({ file: { purgeAt }, frame }: FileProps) => purgeAt !== null && purgeAt <= frame.now;

const FileName = ({ file: { filename, mimeType, folder } }: Pick<FileProps, "file">) => (
  <>
    <span class="who named">
      <KindIcon kind={kindOf(mimeType)} />
      <span>{filename}</span>
    </span>
    <span class="sub">from {folder || "All files"}</span>
  </>
);

/** When it is deleted for good. */
function End({ file, frame }: FileProps) {
  if (isDue({ file, frame })) return <Badge tone="warn">Deleting</Badge>;
  return file.purgeAt ? <span class="none">{date(file.purgeAt, frame.preferences)}</span> : null;
}

const Restore = ({ file: { id, filename } }: Pick<FileProps, "file">) => (
  <button
    type="submit"
    class="btn quiet sm"
    formaction={`${paths.file(id)}/restore`}
    id={`restore-${id}`}
    aria-label={`Restore ${filename}`}
  >
    <Icon name="archive-restore" />
    Restore
  </button>
);

type TrashView = ListView<StoredFile>;

export const TrashHead = ({ frame, counts }: { frame: Frame; counts: StorageCounts }) => (
  <>
    <Head
      title="Trash"
      lead="Deleted files, and those that were replaced, are kept for 30 days and use space until then."
    />
    <StorageTabs frame={frame} here={paths.trash} counts={counts} />
  </>
);

export const TrashList = (view: TrashView) => {
  const { state, rows } = view;
  return (
    <section class="list files deleted" id="list" aria-label="Deleted files">
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
          <EmptyTrash what="files" />
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
    <ColumnTable
      caption="Deleted files"
      columns={columnsOf(view)}
      rows={view.rows}
      rowId={({ id }) => `file-${id}`}
      pick={(file) => <PickCell id={file.id} name={isDue({ file, frame: view.frame }) ? null : file.filename} />}
      actions={(file) => !isDue({ file, frame: view.frame }) && <Restore file={file} />}
    />
  </BulkForm>
);

const columnsOf = ({ frame }: TrashView): Column<StoredFile>[] => [
  { title: "Name", kind: "main", cell: (file) => <FileName file={file} /> },
  { title: "Size", kind: "size", cell: ({ size }) => bytes(size) },
  { title: "Deleted", kind: "when", cell: ({ deletedAt }) => deletedAt && <Time at={deletedAt} clock={frame} /> },
  { title: "Kept until", kind: "extra", cell: (file) => <End file={file} frame={frame} /> },
];
