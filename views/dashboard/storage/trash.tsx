import type { StoredFile } from "../../../db/storage/files";
import { Badge } from "../../components/badge";
import { bytes } from "../../components/bytes";
import { Empty, NoMatch } from "../../components/empty";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import type { ListView } from "../../components/list";
import { BulkButtons, BulkForm } from "../../components/lists/bulk";
import { ListHead } from "../../components/lists/head";
import { ActionsHeader, Pick, PickAll, Table } from "../../components/lists/table";
import { date, Time } from "../../components/time";
import { paths } from "../../paths";
import { Head } from "../shell";
import { KindIcon, kindOf } from "./file-kind";
import { type StorageCounts, StorageTabs } from "./frame";

const TrashRow = ({ file, frame }: { file: StoredFile; frame: Frame }) => {
  const { id, filename, purgeAt, deletedAt } = file;
  const isDue = purgeAt !== null && purgeAt <= frame.now;
  return (
    <tr id={`file-${id}`} role="row">
      {isDue ? <td class="pick" role="cell" /> : <Pick id={id} label={filename} />}
      <td class="main" role="cell">
        <span class="who named">
          <KindIcon kind={kindOf(file.mimeType)} />
          <span>{filename}</span>
        </span>
        <span class="sub">from {file.folder || "All files"}</span>
      </td>
      <td class="size" role="cell">
        {bytes(file.size)}
      </td>
      <td class="when" role="cell">
        {deletedAt && <Time at={deletedAt} clock={frame} />}
      </td>
      <td class="extra" role="cell">
        {isDue ? (
          <Badge tone="warn">Deleting</Badge>
        ) : (
          purgeAt && <span class="none">{date(purgeAt, frame.preferences)}</span>
        )}
      </td>
      <td class="acts" role="cell">
        {!isDue && (
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
        )}
      </td>
    </tr>
  );
};

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
