import type { ListedUpload } from "../../../db/storage/uploads-list";
import { Badge } from "../../components/badge";
import { BulkBar } from "../../components/lists/bulk";
import { bytes } from "../../components/bytes";
import { Empty } from "../../components/empty";
import { Form } from "../../components/form";
import type { Frame } from "../../components/frame";
import { type ListView, listUrl } from "../../components/list";
import { ListHead } from "../../components/lists/head";
import { Pager } from "../../components/lists/pager";
import { ActionsHeader, Pick, PickAll, Table } from "../../components/lists/table";
import { spoken, Time } from "../../components/time";
import { Head } from "../shell";
import { type StorageCounts, StorageTabs } from "./frame";
import { paths } from "../../paths";

type OpenUploadsView = ListView<ListedUpload> & {
  view: "" | "mine" | "api" | "ended";
  counts: { open: number; mine: number; api: number };
};

export const OpenUploadsHead = ({ counts }: { counts: StorageCounts }) => (
  <>
    <Head title="Open uploads" lead="What is on its way to the storage, and holds room there." />
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
            { value: "ended", label: "Given up" },
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
            Abort…
          </button>
        </BulkBar>
      )}
    </Form>
    <Pager state={state} page={page} per={per} total={total} />
  </>
);

function UploadRow({ row, frame, isEnded }: { row: ListedUpload; frame: Frame; isEnded: boolean }) {
  const { upload, node, folder, key, manager } = row;
  const { id, filename, size, state } = upload;
  const mayAbort = state === "open" || state === "pending";
  const abort = listUrl({ path: `${paths.openUploads}/abort`, query: {} }, { ids: id });
  return (
    <tr id={`upload-${id}`} role="row">
      {!isEnded && (mayAbort ? <Pick id={id} label={filename} /> : <td class="pick" role="cell" />)}
      <td class="main" role="cell">
        <span class="who">{filename}</span>
        <span class="sub">
          {folder || "All files"} · {bytes(size)}
        </span>
      </td>
      <td class="progress" role="cell">
        {isEnded ? <Badge tone="off">{outcomeOf(upload.outcome)}</Badge> : <Progress upload={upload} />}
      </td>
      <td class="extra" role="cell">
        {node}
      </td>
      <td class="extra" role="cell">
        <span class="who-by">{manager ?? key ?? "Nobody who is here"}</span>
        {key && <span class="sub">API key</span>}
      </td>
      <td class="when" role="cell">
        {isEnded ? <Time at={upload.createdAt} clock={frame} /> : <Expiry upload={upload} frame={frame} />}
      </td>
      {!isEnded && (
        <td class="acts" role="cell">
          {mayAbort && (
            <a
              class="btn quiet sm"
              href={abort}
              hx-get={abort}
              hx-target="#dialog"
              id={`abort-${id}`}
              aria-label={`Abort ${filename}`}
            >
              Abort
            </a>
          )}
        </td>
      )}
    </tr>
  );
}

const words: Partial<Record<ListedUpload["upload"]["state"], string>> = {
  pending: "Starting",
  completing: "Finishing",
  aborting: "Being given up",
};

function Progress({ upload: { id, filename, size, received, state } }: Pick<ListedUpload, "upload">) {
  const share = size > 0 ? Math.min(100, Math.floor((received / size) * 100)) : 0;
  const word = words[state] ?? (received > 0 ? `${share}% · ${bytes(received)}` : "Nothing arrived yet");
  return (
    <>
      <progress max="100" value={String(share)} aria-label={`Progress of ${filename}`} id={`progress-${id}`} />
      <span class="sub">{word}</span>
    </>
  );
}

/** When its room is given back if nothing more comes. */
const Expiry = ({ upload: { holdUntil }, frame }: Pick<ListedUpload, "upload"> & { frame: Frame }) =>
  holdUntil <= frame.now ? (
    <span class="none">Expired</span>
  ) : (
    <>
      <span class="kind">expires </span>
      <time datetime={holdUntil.toISOString()}>{spoken(holdUntil, frame)}</time>
    </>
  );

const outcomes: Record<string, string> = {
  expired: "Never came",
  vanished: "Vanished at the node",
  refused: "Refused by the node",
  failed: "Not taken by the node",
  "no answer": "The node did not answer",
  "never opened": "Never opened",
  "larger than reserved": "Too large",
  "another size": "Another size",
};
const outcomeOf = (outcome: string | null) => (outcome && outcomes[outcome]) || capital(outcome ?? "Given up");
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const NoUploads = ({ view }: Pick<OpenUploadsView, "view">) => (
  <div class="table-frame">
    <Empty icon="upload" title={view === "ended" ? "Nothing was given up" : "Nothing is on its way"}>
      <p>
        {view === "ended"
          ? "Uploads that never came, or were aborted, are listed here."
          : "Uploads from this dashboard and from programs appear here until their last byte has arrived."}
      </p>
    </Empty>
  </div>
);
